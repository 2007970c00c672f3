/**
 * Fails if two files export a function of the same name, as a search for it should find one function. Commands,
 * couriers and operations may repeat names such as `list`, but not names in `Of`, which say too little.
 */
import { globSync, readFileSync } from 'node:fs';

const mayRepeatNames = /^src\/(cli\/commands|providers|contract|library)\//;
const exported = /^export (?:async )?(?:function\*?|const) (\w+)/gm;

const pathsByName = new Map<string, string[]>();
for (const path of globSync('src/**/*.ts')) {
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(exported)) {
    if (mayRepeatNames.test(path) && !name.endsWith('Of')) continue;
    pathsByName.set(name, [...new Set([...(pathsByName.get(name) ?? []), path])]);
  }
}
const repeated = [...pathsByName].filter(([, paths]) => paths.length > 1);
for (const [name, paths] of repeated)
  process.stderr.write(`${name} is exported by ${paths.join(' and ')}.\n`);
process.exitCode = repeated.length > 0 ? 1 : 0;
