import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-install-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('packages that others use too are not replaced', () => {
  const [project, others] = [join(folder, 'project'), join(folder, 'others')];
  mkdirSync(join(project, 'src', 'build'), { recursive: true });
  mkdirSync(others);
  writeFileSync(join(others, 'theirs'), '');
  symlinkSync(others, join(project, 'node_modules'));
  writeFileSync(join(project, 'package-lock.json'), '{"packages":{"node_modules/one":{"version":"1.0.0"}}}');
  const script = join(project, 'src', 'build', 'install.mjs');
  copyFileSync(join(import.meta.dirname, '..', '..', 'src', 'build', 'install.mjs'), script);
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'node_modules is a link to packages of other versions: remove the link, and start again.\n',
  });
  expect(readdirSync(others)).toEqual(['theirs']);
});
