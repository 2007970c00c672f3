#!/usr/bin/env node
'use strict';
// A shim: the program is built into dist. In words that any old Node reads, so that the entry can turn it away.
try {
  require('../dist/entry.cjs');
} catch (error) {
  if (require('fs').existsSync(`${__dirname}/../dist/entry.cjs`)) throw error;
  process.stderr.write('waybill is not built yet: run `npm run build` in its folder first.\n');
  process.exitCode = 1;
}
