import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The package.json of the packed program. Its packages are bundled, so that whoever installs it needs none: both lists
 * are left out while it is packed, and the mark that keeps a clone from being published by mistake.
 */

const root = join(import.meta.dirname, '../..');
const manifest = join(root, 'package.json');
const kept = join(root, 'node_modules', '.package.json');

if (process.argv[2] === 'write') {
  copyFileSync(manifest, kept);
  const {
    private: _private,
    dependencies: _bundled,
    devDependencies: _tools,
    ...packed
  } = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`);
} else renameSync(kept, manifest);
