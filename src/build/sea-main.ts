/**
 * The first thing that runs in the single executable: everything of `dist` lies in it as an asset, and this loads the
 * program's chunks from there, and answers for the files that it reads beside its own code.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { compileFunction } from 'node:vm';

/** Where the program believes its files to be: below a file there can be no others. */
const folder = join(process.execPath, 'dist');
const wrapper = ['exports', 'require', 'module', '__filename', '__dirname'];

interface Loaded {
  exports: unknown;
}

const known = new Map<string, Loaded>();
const builtin = createRequire(process.execPath);

function required(specifier: string): unknown {
  return specifier.startsWith('./') ? chunk(specifier.slice(2)) : builtin(specifier);
}

function chunk(name: string): unknown {
  const before = known.get(name);
  if (before !== undefined) return before.exports;
  const module: Loaded = { exports: {} };
  known.set(name, module);
  const filename = join(folder, name);
  const run = compileFunction(getAsset(name, 'utf8'), wrapper, { filename });
  Reflect.apply(run, module.exports, [module.exports, required, module, filename, dirname(filename)]);
  return module.exports;
}

/** The bytes of a file of the program, or its text; undefined for any other file. */
function assetAt(path: unknown, options: unknown): Buffer | string | undefined {
  if (typeof path !== 'string' || dirname(path) !== folder) return undefined;
  const bytes = Buffer.from(getRawAsset(path.slice(folder.length + 1)));
  return typeof options === 'string' && Buffer.isEncoding(options) ? bytes.toString(options) : bytes;
}

function answerForFiles(): void {
  const { readFileSync, promises } = process.getBuiltinModule('node:fs');
  const { readFile } = promises;
  Object.assign(process.getBuiltinModule('node:fs'), {
    readFileSync: (...given: unknown[]) =>
      assetAt(given[0], given[1]) ?? Reflect.apply(readFileSync, null, given),
  });
  Object.assign(promises, {
    readFile: async (...given: unknown[]) =>
      assetAt(given[0], given[1]) ?? (await Reflect.apply(readFile, promises, given)),
  });
}

answerForFiles();
chunk('entry.cjs');
