import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { completionIndexText } from '../../src/build/completion-data.ts';
import { helpPages } from '../../src/cli/help/help.ts';
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

/** Runs the program as if on another Node version. */
function runAs(version: string, ...words: string[]) {
  const disguise = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const argv = `process.argv.splice(1, 0, ${JSON.stringify(bin)})`;
  return run(['-e', `${disguise}; ${argv}; require(${JSON.stringify(bin)})`, '--', ...words]);
}

test.each(['--version', '-V', '-v'])('%s prints the version of package.json', (flag) => {
  const { version } = JSON.parse(read('package.json'));
  expect(run([bin, flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([['--help'], ['-h'], ['help']])('%s prints the prepared help of the program', (word) => {
  const page = pages[''];
  expect(page).toContain('waybill COMMAND [FLAGS]');
  expect(run([bin, word])).toEqual({ status: 0, stdout: page, stderr: '' });
});

test.each(['orders', 'batches get', 'sandbox advance', 'whoami'])(
  'the page of %s is found by its words',
  (path) => {
    expect(run([bin, ...path.split(' '), '--help']).stdout).toBe(pages[path]);
    expect(run([bin, 'help', ...path.split(' ')]).stdout).toBe(pages[path]);
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

test.each(['12.22.12', '20.20.2', '22.22.1', '23.11.0', '24.14.9', '25.9.0'])(
  'Node %s is refused',
  (version) => {
    const { status, stdout, stderr } = runAs(version, '--version');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^waybill needs Node 22\.22\.2[^\n]*\n/);
    // The same lines as in the README.
    const lines = [...stderr.matchAll(/^ {2}(\S.*?) {3}\(/gm)].map(([, line = '']) => line);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(read('README.md')).toContain(`$ ${line}`);
  },
);

test.each(['22.22.2', '22.23.0', '24.15.0', '26.0.0', '28.1.0'])('Node %s is accepted', (version) => {
  expect(runAs(version, '--version').status).toBe(0);
});
