/**
 * The main script of the single executable: it contains `dist` as assets, runs the entry from there, and serves the
 * files that the program reads.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { compileFunction } from 'node:vm';

/** The virtual folder of the program's files: no real file can exist below the executable. */
const folder = join(process.execPath, 'dist');

/** Runs the entry, which loads the rest. */
function begin(): void {
  const filename = join(folder, 'entry.cjs');
  const names = ['exports', 'require', 'module', '__filename', '__dirname'];
  const run = compileFunction(getAsset('entry.cjs', 'utf8'), names, { filename });
  run({}, createRequire(process.execPath), {}, filename, folder);
}

/** The bytes or text of a bundled file; undefined for any other file. */
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
begin();
