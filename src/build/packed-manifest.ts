/** Puts the package.json of the packed program in place before `npm pack`, and the own one back after it. */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The package.json of the packed program, without dependencies, as they are bundled, and without `private`, which keeps
 * a clone from being published by mistake.
 */
export function packedManifest(text: string): string {
  const manifest = JSON.parse(text);
  for (const name of ['private', 'dependencies', 'devDependencies']) delete manifest[name];
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const root = join(import.meta.dirname, '../..');
const file = join(root, 'package.json');
const kept = join(root, 'node_modules', '.package.json');

if (process.argv[2] === 'write') {
  copyFileSync(file, kept);
  writeFileSync(file, packedManifest(readFileSync(file, 'utf8')));
} else if (process.argv[2] === 'restore') renameSync(kept, file);
