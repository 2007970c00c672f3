import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Facts, factsOf } from './syntax.ts';

const root = join(import.meta.dirname, '..', '..');

/** The names at the top of the repository. */
export function topLevelNames(): string[] {
  return readdirSync(root);
}

/** Text of a file by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** All code below a folder, read by the parser. */
export function readCode(folder: string): Facts[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.split(sep).join('/')}`)
    .filter((path) => /\.(ts|mjs|cjs)$/.test(path))
    .map((path) => factsOf({ path, text: read(path) }));
}
