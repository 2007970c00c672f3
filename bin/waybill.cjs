#!/usr/bin/env node
'use strict';
// A shim: the program is built into dist. In words that any old Node reads, so that the entry can turn it away. It is
// read and run past `require`, which would take longer to find the file than that takes to run.
const load = process.getBuiltinModule || require;
const folder = `${__dirname.slice(0, -'bin'.length)}dist`;
const file = `${folder}/entry.cjs`;
let text = null;
try {
  text = load('fs').readFileSync(file, 'latin1');
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
  process.stderr.write('waybill is not built yet: run `npm run build` in its folder first.\n');
  process.exitCode = 1;
}
if (text !== null) {
  const { Script } = load('vm');
  new Script(text, { filename: file }).runInThisContext()({}, require, {}, file, folder);
}
