/** Replaces package.json by that of the packed program before `npm pack` (`write`), and puts it back (`restore`). */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Removes the dependencies, which are bundled, and `private`, which keeps a clone from being published. */
export function packedManifest(text: string): string {
  const manifest = JSON.parse(text);
  for (const name of ['private', 'dependencies', 'devDependencies']) delete manifest[name];
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const root = join(import.meta.dirname, '../..');
const file = join(root, 'package.json');
const backup = join(root, 'node_modules', '.package.json');

if (process.argv[2] === 'write') {
  copyFileSync(file, backup);
  writeFileSync(file, packedManifest(readFileSync(file, 'utf8')));
} else if (process.argv[2] === 'restore') renameSync(backup, file);
