import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { listenLocally } from '../../local-server.ts';
import { account, page } from '../fake-service.ts';
import { errorOf, freshHome, type RunOptions, waybill } from '../harness.ts';
import { memoryKeychain } from './keychains.ts';

/** A key of ours, and one in an unknown format. */
const secrets = ['wb_test_5ecre70123456789abcdefS3CR', 'tr0ub4dor&3/correct-horse-S3CR'];
const authorised: string[] = [];

/** A service that repeats the received key in every error, like a careless proxy. */
const server = createServer((request, response) => {
  const key = String(request.headers['x-api-key']);
  authorised.push(key);
  const known: Record<string, unknown> = { '/v2/account': account, '/v2/api_keys': page };
  const answer = known[request.url?.split('?')[0] ?? ''];
  const details = [{ path: '/items', message: `is not for ${key}` }];
  const refused = { object: 'error', code: 'invalid_request', message: `No: ${key}`, details };
  response.writeHead(answer === undefined ? 400 : 200, {
    ...{ 'content-type': 'application/json', 'x-echo': key, 'x-request-id': `req_${key}` },
  });
  response.end(JSON.stringify(answer ?? refused));
});
const { port, close } = await listenLocally(server);
afterAll(close);
const url = `http://127.0.0.1:${port}`;

interface Door {
  /** How the key is stored once, if it is. */
  logIn?: { flags: string[]; options: RunOptions };
  /** How it is passed to each command. */
  options: RunOptions;
  flags: string[];
  /** The files that may contain it. */
  own: string[];
}

const profiles = '.config/waybill/profiles.json';
const doors: Record<string, (home: string, secret: string) => Door> = {
  prompt: (_, secret) => ({
    logIn: { flags: ['--insecure-storage'], options: { tty: true, answers: [secret] } },
    ...{ options: {}, flags: [], own: [profiles] },
  }),
  stdin: (_, secret) => ({
    logIn: { flags: ['--with-token', '--insecure-storage'], options: { stdin: `${secret}\n` } },
    ...{ options: {}, flags: [], own: [profiles] },
  }),
  file: (home, secret) => {
    writeFileSync(join(home, 'key.txt'), secret, { mode: 0o600 });
    return { options: {}, flags: ['--base-url', url, '--api-key-file', 'key.txt'], own: ['key.txt'] };
  },
  environment: (_, secret) => ({
    options: { env: { WAYBILL_API_KEY: secret } },
    flags: ['--base-url', url],
    own: [],
  }),
  keychain: (_, secret) => {
    const { ask: keychain } = memoryKeychain();
    const logIn = { flags: ['--with-token'], options: { stdin: secret, keychain } };
    return { logIn, options: { keychain }, flags: [], own: [] };
  },
};

const lines = [
  ['whoami'],
  ['keys', 'list'],
  ['profiles', 'list'],
  ['config', 'list', '--show-origin'],
  ['doctor'],
  ['orders', 'list'],
  ['deliveries', 'get', 'dlv_1'],
  ['routes', 'create', 'ord_1'],
  ['routes', 'create', 'ord_1', '--dry-run'],
  ['api', 'GET', '/v2/routes'],
  ['api', 'GET', '/v2/routes', '--dry-run'],
  ['orders', 'get', 'ord_1', '--made-up'],
];
const ways = [[], ['--json'], ['--debug'], ['--curl'], ['--debug', '--json'], ['--curl', '--json']];

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

const cases = Object.keys(doors).flatMap((name) => secrets.map((secret) => [name, secret] as const));

test.each(cases)('a key given by %s is in no other output or file: %s', async (name, secret) => {
  const home = freshHome();
  const { logIn, options, flags, own } = doors[name]?.(home, secret) ?? { options: {}, flags: [], own: [] };
  const written: string[] = [];
  const run = async (line: readonly string[], given: RunOptions) => {
    const { stdout, stderr } = await waybill(line, { home, ...given });
    written.push(stdout, stderr);
  };
  authorised.length = 0;
  for (const way of ways) {
    if (logIn) await run(['login', '--base-url', url, ...logIn.flags, ...way], logIn.options);
    for (const line of lines) await run([...line, ...flags, ...way], options);
  }
  expect(new Set(authorised)).toEqual(new Set([secret]));
  expect(authorised.length).toBeGreaterThan(30);
  const all = written.join('\n');
  expect(all).toContain('…S3CR');
  expect(all).toContain('$WAYBILL_API_KEY');
  expect(all.split('\n').filter((text) => text.includes(secret))).toEqual([]);
  const holders = filesIn(home).filter((file) => readFileSync(join(home, file)).includes(secret));
  expect(holders).toEqual(own);
  for (const file of own) expect(statSync(join(home, file)).mode & 0o777).toBe(0o600);
});

test('a text too short for a key is not masked, as that would break words and JSON', async () => {
  const { stderr } = await waybill(['orders', 'list', '--base-url', url, '--json'], {
    env: { WAYBILL_API_KEY: 'x' },
  });
  expect(errorOf(stderr)).toMatchObject({ exit: 2, next: expect.any(Array) });
});
