import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { storeLatestVersion } from '../../../src/cli/updates/fetch-latest-version.ts';
import { isNewer } from '../../../src/cli/updates/notice.ts';
import { freshHome, type RunOptions, waybill } from '../harness.ts';

const hour = 60 * 60 * 1000;
const start = Date.UTC(2030, 0, 1);

/**
 * A person at a terminal with version 1.2.3, who runs a command at a given hour; returns stderr, and the checks for
 * updates.
 */
function person() {
  const home = freshHome();
  const settings = join(home, '.config', 'waybill');
  mkdirSync(settings, { recursive: true, mode: 0o700 });
  const profiles = { shop: { base_url: 'https://shop.test' } };
  writeFileSync(join(settings, 'profiles.json'), JSON.stringify({ current: 'shop', profiles }));
  const looks: string[] = [];
  const file = join(home, '.cache', 'waybill', 'update.json');
  const startUpdateCheck = async (asked: string) => void looks.push(asked);
  const run = async (hours: number, options: RunOptions = {}, ...flags: string[]) => {
    const all = {
      home,
      tty: true,
      version: '1.2.3',
      now: () => start + hours * hour,
      startUpdateCheck,
      ...options,
    };
    const { stderr, exit } = await waybill(['profiles', 'list', ...flags], all);
    expect(exit).toBe(0);
    return stderr;
  };
  const found = (latest: string) => {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, JSON.stringify({ checked_at: start, notified_at: 0, latest }));
  };
  return { home, looks, file, run, found };
}

test('a newer version is announced once a day', async () => {
  const { run, found } = person();
  found('1.3.0');
  expect(await run(1)).toBe('waybill 1.3.0 is out, this is 1.2.3: npm install --global waybill\n');
  expect(await run(2)).toBe('');
  expect(await run(24)).toBe('');
  expect(await run(25)).toContain('1.3.0 is out');
});

test('a background process checks once a day, and the command does not wait for it', async () => {
  const { looks, file, run } = person();
  expect(await run(0)).toBe('');
  expect(looks).toEqual([file]);
  await run(1);
  await run(23);
  expect(looks).toHaveLength(1);
  await run(24);
  expect(looks).toHaveLength(2);
});

test('a clock that was set back delays no check for long and repeats no notice', async () => {
  const { looks, run, found } = person();
  await run(10_000);
  await run(0);
  expect(looks).toHaveLength(2);
  found('1.3.0');
  expect(await run(10_000)).toContain('is out');
  expect(await run(9_999)).toBe('');
  expect(await run(200)).toContain('is out');
});

test.each<[string, RunOptions, string[]]>([
  ['in CI', { env: { CI: '1' } }, []],
  ['in a pipe', { tty: false }, []],
  ['with its answer in a pipe', { piped: true }, []],
  ['on the embedded service, which needs no network', {}, ['--profile', 'sandbox']],
  ['with --json', {}, ['--json']],
  ['with -o ndjson', {}, ['-o', 'ndjson']],
  ['with --quiet', {}, ['--quiet']],
  ['with WAYBILL_NO_UPDATE_NOTICE', { env: { WAYBILL_NO_UPDATE_NOTICE: '1' } }, []],
  ['with NO_UPDATE_NOTIFIER', { env: { NO_UPDATE_NOTIFIER: '1' } }, []],
])('there is no notice and no check %s', async (_, options, flags) => {
  const { looks, run, found } = person();
  found('9.0.0');
  expect(await run(100, options, ...flags)).toBe('');
  expect(looks).toEqual([]);
});

test('a profile can disable the notice', async () => {
  const { home, looks, run, found } = person();
  await waybill(['config', 'set', 'update_notice', 'no'], { home });
  found('9.0.0');
  expect(await run(100)).toBe('');
  expect(looks).toEqual([]);
});

test('an invalid file, and a cache that cannot be written, are ignored', async () => {
  const { home, looks, file, run, found } = person();
  found('1.3.0');
  writeFileSync(file, '{ "latest": ');
  expect(await run(1)).toBe('');
  expect(looks).toHaveLength(1);
  rmSync(file);
  mkdirSync(join(file, 'folder'), { recursive: true });
  expect(await run(1)).toBe('');
  expect([looks.length, readdirSync(join(file, '..'))]).toEqual([1, ['update.json']]);
  writeFileSync(join(home, 'file'), '');
  expect(await run(1, { env: { WAYBILL_CACHE_DIR: join(home, 'file') } })).toBe('');
  expect(looks).toHaveLength(1);
  expect(await run(200, { startUpdateCheck: () => Promise.reject(new Error('no process')) })).toBe('');
});

test.each([
  ['1.2.4', '1.2.3', true],
  ['1.10.0', '1.9.9', true],
  ['2.0.0', '1.9.9', true],
  ['1.2.3', '1.2.3', false],
  ['1.2.2', '1.2.3', false],
  ['0.9.9', '1.0.0', false],
  ['1.3.0-beta.1', '1.2.3', false],
  ['1.2.3', '1.2.3-beta.1', true],
  ['1.3.0 rm -rf', '1.2.3', false],
])('%s is later than %s: %s', (version, own, expected) => {
  expect(isNewer(version, own)).toBe(expected);
});

async function registry(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const ours = { name: 'waybill', version: '1.4.0', bin: { waybill: 'bin/waybill.cjs' } };

test('the latest version is requested from the registry and stored beside the last notice', async () => {
  const { file, found } = person();
  found('1.3.0');
  const paths: (string | undefined)[] = [];
  const url = await registry((request, response) => {
    paths.push(request.url);
    response.end(JSON.stringify(ours));
  });
  await storeLatestVersion(url, file);
  expect(paths).toEqual(['/waybill/latest']);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    checked_at: start,
    notified_at: 0,
    latest: '1.4.0',
  });
});

test.each<[string, RequestListener]>([
  ["is a stranger's", (_, response) => response.end(JSON.stringify({ ...ours, bin: { waybill: 'cli.js' } }))],
  ['is no JSON', (_, response) => response.end('<html>')],
  ['is refused', (_, response) => response.writeHead(404).end(JSON.stringify(ours))],
  ['breaks off', (_, response) => response.writeHead(200).write('{', () => response.destroy())],
  ['does not end', (_, response) => response.end('x'.repeat(2_000_000))],
])('an answer that %s changes nothing', async (_, answer) => {
  const { file, found } = person();
  found('1.3.0');
  await storeLatestVersion(await registry(answer), file);
  expect(JSON.parse(readFileSync(file, 'utf8')).latest).toBe('1.3.0');
});

test('a registry with an endless response is given up after a second', async () => {
  const { file } = person();
  const program = join(import.meta.dirname, '../../../src/cli/updates/update-process.ts');
  const url = await registry((_, response) => void response.writeHead(200).write('{'));
  await promisify(execFile)(process.execPath, [program, url, file]);
  expect(existsSync(file)).toBe(false);
});
