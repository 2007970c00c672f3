#!/usr/bin/env node
'use strict';
// Starts the program, which the build makes in `dist`. Written in syntax that every old Node parses, so that the entry
// can say which Node it needs.
const entry = `${__dirname}/../dist/entry.cjs`;
if (require('node:fs').existsSync(entry)) {
  require(entry);
} else {
  process.stderr.write('waybill is not built yet: run `npm run build` in its folder first.\n');
  process.exitCode = 1;
}
