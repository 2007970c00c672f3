import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helpPages } from '../../src/cli/help/help.ts';
import { read } from './tree.ts';

const root = join(import.meta.dirname, '..', '..');
const bin = join(root, 'bin', 'waybill.cjs');
/** As the program makes them, by what is typed. */
const pages = await helpPages();
let home = '';

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'waybill-entry-'));
});

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

function run(words: string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    env: { PATH, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Runs the program as a Node of another version would. */
function runAs(version: string, ...words: string[]) {
  const disguise = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const argv = `process.argv.splice(1, 0, ${JSON.stringify(bin)})`;
  return run(['-e', `${disguise}; ${argv}; require(${JSON.stringify(bin)})`, '--', ...words]);
}

test.each(['--version', '-V'])('%s prints the version of package.json', (flag) => {
  const { version } = JSON.parse(read('package.json'));
  expect(run([bin, flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([['--help'], ['-h'], ['help']])('%s prints the prepared help of the program', (word) => {
  const page = pages[''];
  expect(page).toContain('waybill COMMAND [FLAGS]');
  expect(run([bin, word])).toEqual({ status: 0, stdout: page, stderr: '' });
});

test.each(['orders', 'batches get', 'sandbox advance', 'whoami'])(
  'the page of %s is served by its words',
  (path) => {
    expect(run([bin, ...path.split(' '), '--help']).stdout).toBe(pages[path]);
    expect(run([bin, 'help', ...path.split(' ')]).stdout).toBe(pages[path]);
  },
);

test('every page lies where the build says, and none is parsed for that of the program', () => {
  const bytes = Buffer.from(read('dist/help-pages.txt'));
  const places: Record<string, [number, number]> = JSON.parse(read('dist/help.json'));
  const laid = Object.entries(places).map(([name, place]) => [name, bytes.toString('utf8', ...place)]);
  expect({ ...Object.fromEntries(laid), '': read('dist/help.txt') }).toEqual(pages);
});

test.each(['12.22.12', '20.20.2', '22.22.1', '23.11.0', '24.14.9', '25.9.0'])(
  'Node %s is turned away',
  (version) => {
    const { status, stdout, stderr } = runAs(version, '--version');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^waybill needs Node 22\.22\.2[^\n]*\n$/);
  },
);

test.each(['22.22.2', '22.23.0', '24.15.0', '26.0.0', '28.1.0'])('Node %s is let in', (version) => {
  expect(runAs(version, '--version').status).toBe(0);
});

test('compiled code is kept in a folder of this person alone', () => {
  const folder = join(home, 'deep', 'cache');
  run([bin, 'no-such-command'], { WAYBILL_CACHE_DIR: folder });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const kept = keptFiles(folder);
  expect(kept.map((file) => basename(file))).toContain('main.cjs.bin');
  expect(kept.map((file) => statSync(file).mode & 0o777)).toEqual(kept.map(() => 0o600));
});

test('a look-up keeps code of its own, which other lines add nothing to', () => {
  const env = { WAYBILL_CACHE_DIR: join(home, 'own'), WAYBILL_DATA_DIR: join(home, 'own', 'data') };
  const sizes = () =>
    Object.fromEntries(keptFiles(env.WAYBILL_CACHE_DIR).map((file) => [basename(file), statSync(file).size]));
  run([bin, 'deliveries', 'get', 'dlv_0'], env);
  const { 'main.cjs.get.bin': own } = sizes();
  expect(Object.keys(sizes())).not.toContain('main.cjs.bin');
  run([bin, 'whoami'], env);
  run([bin, 'deliveries', 'list'], env);
  run([bin, 'deliveries', 'get', 'dlv_0'], env);
  expect(sizes()).toMatchObject({ 'main.cjs.get.bin': own, 'main.cjs.list.bin': expect.any(Number) });
  expect(Object.keys(sizes())).toContain('main.cjs.bin');
});

test('compiled code that is damaged, cut short or of another build is made anew', () => {
  const env = { WAYBILL_CACHE_DIR: join(home, 'damaged') };
  const usual = run([bin, 'no-such-command'], env);
  const file = keptFiles(env.WAYBILL_CACHE_DIR).find((each) => each.endsWith('main.cjs.bin')) ?? '';
  const whole = readFileSync(file);
  const middle = Math.floor(whole.length / 4);
  const damages = [
    Buffer.concat([whole.subarray(0, 1000), Buffer.alloc(middle, 0x55), whole.subarray(1000 + middle)]),
    Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(4096), whole.subarray(12_288)]),
    whole.subarray(0, middle),
    Buffer.concat([Buffer.alloc(32, 0x30), whole.subarray(32)]),
    Buffer.alloc(0),
  ];
  for (const damaged of damages) {
    writeFileSync(file, damaged);
    expect(run([bin, 'no-such-command'], env)).toEqual(usual);
    expect(readFileSync(file).length).toBeGreaterThan(middle * 2);
  }
});

function keptFiles(folder: string): string[] {
  const files = readdirSync(join(folder, 'compiled'), { recursive: true, withFileTypes: true });
  return files.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

test('a cache folder that cannot be made changes nothing', () => {
  const file = join(home, 'file');
  writeFileSync(file, '');
  const usual = run([bin, 'no-such-command'], { HOME: home });
  expect(run([bin, 'no-such-command'], { HOME: home, WAYBILL_CACHE_DIR: join(file, 'cache') })).toEqual(
    usual,
  );
});
