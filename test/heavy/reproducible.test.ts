import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildIn, copySources, emptyFolder, runOrFail, version } from './installation.ts';

/** The hash of the package that is built from a copy of the sources in this folder. */
function packageHash(folder: string): string {
  copySources(folder);
  buildIn(folder);
  runOrFail(folder, 'npm', 'pack', '--ignore-scripts');
  return createHash('sha256')
    .update(readFileSync(join(folder, `waybill-${version}.tgz`)))
    .digest('hex');
}

test('two builds in different folders give the same package, byte by byte', () => {
  const folder = emptyFolder();
  expect(packageHash(join(folder, 'one'))).toBe(packageHash(join(folder, 'another', 'folder')));
});
