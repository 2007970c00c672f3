#!/usr/bin/env node
'use strict';
// A shim: the program is built into dist. In words that any old Node reads, so that the entry can turn it away.
let entry;
try {
  entry = require.resolve('../dist/entry.cjs');
} catch {
  process.stderr.write('waybill is not built yet: run `npm run build` in its folder first.\n');
  process.exitCode = 1;
}
if (entry) require(entry);
