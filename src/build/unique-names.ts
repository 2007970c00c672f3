/**
 * A reader who searches for an exported function finds one. Those of commands, of couriers and of operations are called by
 * what they do within their file; a name in `Of` says too little to be there twice anywhere.
 */
import { globSync, readFileSync } from 'node:fs';

const apart = /^src\/(cli\/commands|providers|contract|library)\//;
const exported = /^export (?:async )?(?:function\*?|const) (\w+)/gm;

const files = new Map<string, string[]>();
for (const path of globSync('src/**/*.ts')) {
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(exported)) {
    if (apart.test(path) && !name.endsWith('Of')) continue;
    files.set(name, [...new Set([...(files.get(name) ?? []), path])]);
  }
}
const twice = [...files].filter(([, paths]) => paths.length > 1);
for (const [name, paths] of twice) process.stderr.write(`${name} is exported by ${paths.join(' and ')}.\n`);
process.exitCode = twice.length > 0 ? 1 : 0;
