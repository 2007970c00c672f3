import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { completionIndexText } from '../../src/build/help-texts.ts';
import { helpPages } from '../../src/cli/help/help-pages.ts';
import { tree } from '../../src/cli/tree.ts';

const root = join(import.meta.dirname, '..', '..');
/** The text of a file by its path from the root. */
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const bin = join(root, 'bin', 'waybill.cjs');
/** The pages by name, as rendered by the program. */
const pages = await helpPages(tree);

function run(words: string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    env: { PATH, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** What has a Node run the program as if it was of another version. */
function disguised(version: string, words: readonly string[], file = bin): string[] {
  const disguise = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const argv = `process.argv.splice(1, 0, ${JSON.stringify(file)})`;
  return ['-e', `${disguise}; ${argv}; require(${JSON.stringify(file)})`, '--', ...words];
}

const runAs = (version: string, words: string[], file?: string) => run(disguised(version, words, file));

const old = ['12.22.12', '22.22.1', '23.11.0', '24.14.9'];

test.each(['--version', '-V', '-v'])('%s prints the version of package.json', (flag) => {
  const { version } = JSON.parse(read('package.json'));
  expect(run([bin, flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['--help', ''],
  ['-h', '-h'],
  ['help', ''],
])('%s prints the prepared help of the program', (word, name) => {
  const page = pages[name];
  expect(page).toContain('waybill COMMAND [FLAGS]');
  expect(run([bin, word])).toEqual({ status: 0, stdout: page, stderr: '' });
});

test.each(['orders', 'batches get', 'sandbox advance', 'whoami'])(
  'the page of %s is found by its words',
  (path) => {
    expect(run([bin, ...path.split(' '), '--help']).stdout).toBe(pages[path]);
    // A group has no short page.
    const short = pages[`${path} -h`] ?? pages[path];
    for (const line of [
      [...path.split(' '), '-h'],
      ['help', ...path.split(' ')],
    ])
      expect(run([bin, ...line]).stdout).toBe(short);
  },
);

test('every page is where the build says, and printing one parses no other', () => {
  const bytes = Buffer.from(read('dist/help-pages.txt'));
  const places: Record<string, [number, number]> = JSON.parse(read('dist/help.json'));
  const laid = Object.entries(places).map(([name, place]) => [name, bytes.toString('utf8', ...place)]);
  expect({ ...Object.fromEntries(laid), '': read('dist/help.txt') }).toEqual(pages);
});

test('completion data and the files that the service reads are those of the source', async () => {
  expect(read('dist/completion.txt')).toBe(await completionIndexText());
  const source = join(root, 'src', 'service');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.bin'),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const file of files)
    expect(readFileSync(join(root, 'dist', basename(file)))).toEqual(readFileSync(join(source, file)));
});

test.each(old)('an installed package refuses Node %s', (version) => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-entry-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(root, 'dist'), join(folder, 'dist'));
  // Node resolves links: the entry is a copy, so that it has no sources beside it.
  const file = join(folder, 'bin', 'entry.cjs');
  copyFileSync(join(root, 'dist', 'entry.cjs'), file);
  const { status, stdout, stderr } = runAs(version, ['--version'], file);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^waybill needs Node 22\.22\.2[^\n]*\nInstall a newer Node\. A clone [^\n]*\n$/);
});

/** A folder with a `node` that must not be used. */
function withOldNode(): { folder: string; env: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'waybill entry '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho old >&2; exit 9\n', { mode: 0o755 });
  return { folder, env: { PATH: `${folder}:${process.env.PATH}` } };
}

const script = join(root, 'bin', 'waybill');

test.each<[how: string, words: (folder: string) => [string, ...string[]]]>([
  ['by its path', () => [script]],
  ['by dash', () => ['dash', script]],
  [
    'by a link',
    (folder) => {
      symlinkSync(script, join(folder, 'waybill'));
      return [join(folder, 'waybill')];
    },
  ],
  [
    'by a relative link to a link, from the PATH',
    (folder) => {
      symlinkSync(script, join(folder, 'far'));
      mkdirSync(join(folder, 'bin'));
      symlinkSync('../far', join(folder, 'bin', 'waybill'));
      return ['sh', '-c', `PATH='${join(folder, 'bin')}':$PATH; cd /; waybill "$@"`, 'sh'];
    },
  ],
])('the program of a clone runs on the Node that the clone has installed: %s', (_, words) => {
  const { folder, env } = withOldNode();
  const [first, ...rest] = words(folder);
  const { status, stdout, stderr } = spawnSync(first, [...rest, 'help', 'output'], { env, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: pages['help output'] ?? pages.output,
    stderr: '',
  });
});

test('its process is that of the shell script: signals and exit code are its own', async () => {
  const { folder, env } = withOldNode();
  const words = ['serve', '--port', '0', '--database', join(folder, 'shop.db'), '--json'];
  const child = spawn(script, words, { env: { ...env, HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.resume();
  const [ready] = await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
  await expect(fetch(JSON.parse(String(ready)).url)).rejects.toThrow('fetch failed');
});

test.each(['22.22.2', '24.15.0', '26.0.0'])('Node %s is accepted', (version) => {
  expect(runAs(version, ['--version']).status).toBe(0);
});
