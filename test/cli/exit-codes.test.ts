import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { exits } from '../../src/cli/errors/error-codes.ts';
import { Interrupted } from '../../src/cli/kit/errors/failure.ts';
import { PipeClosed } from '../../src/cli/kit/host/host.ts';
import type { Transport } from '../../src/contract/operation.ts';
import { listenLocally } from '../local-server.ts';
import { everyRecord } from './every-record.ts';
import { account } from './fake-service.ts';
import { freshHome, jsonOf, type RunOptions } from './harness.ts';
import { orderFields, quotedRoute, sandbox } from './sandbox.ts';

const { ids, run } = await everyRecord();
const box = await sandbox();

/** A service with the same response to every request. */
function answering(status: number, code: string): Transport {
  return async () => ({
    status,
    headers: {},
    body: JSON.stringify({ object: 'error', code, message: code, request_id: 'req_1' }),
  });
}

const broken: Transport = async () => {
  throw new TypeError('broken');
};

/** A reader that has disconnected. */
const left = () => {
  throw new PipeClosed();
};

type Way = (more?: RunOptions) => Promise<number>;
const line =
  (argv: readonly string[], options?: RunOptions): Way =>
  async (more) =>
    (await run(argv, { ...options, ...more })).exit;

/** A case for each exit code of the table that a command can end with on its own. */
const ways: Readonly<Record<number, readonly [what: string, way: Way]>> = {
  0: ['an empty list', line(['orders', 'list', '--status', 'failed'])],
  1: ['a fault of the program', line(['orders', 'list'], { transport: broken })],
  2: ['an unknown flag', line(['orders', 'list', '--made-up'])],
  3: ['a no', line(['keys', 'revoke', ids.key], { tty: true, answers: [false] })],
  4: ['a key that nobody knows', line(['orders', 'list'], { transport: answering(401, 'unauthorized') })],
  5: ['no such record', line(['orders', 'get', 'ord_none'])],
  6: [
    'a route that is no draft',
    async (more) => {
      const route = await quotedRoute(box);
      await box.run(['dispatch', route, '--cheapest']);
      return (await box.run(['routes', 'delete', route], more)).exit;
    },
  ],
  7: [
    'a service that fails',
    line(['orders', 'list', '--request-timeout', '1ms'], {
      transport: answering(503, 'storage_unavailable'),
    }),
  ],
  8: ['quotes that are not there yet', line(['quotes', 'list', ids.draft, '--json'])],
  9: ['a delivery that is canceled', line(['deliveries', 'wait', ids.canceled])],
  10: [
    'an import of which a row cannot be sent',
    async (more) => {
      const home = freshHome();
      const rows = [orderFields, { ...orderFields, dropoff_address: '1 Nowhere, 00000' }];
      writeFileSync(join(home, 'orders.ndjson'), rows.map((row) => JSON.stringify(row)).join('\n'));
      return (await run(['orders', 'import', 'orders.ndjson', '--yes', '--skip-invalid'], { home, ...more }))
        .exit;
    },
  ],
  11: [
    'too many requests',
    line(['orders', 'list', '--request-timeout', '1ms'], { transport: answering(429, 'rate_limited') }),
  ],
  130: ['Ctrl+C at a prompt', line(['keys', 'create'], { tty: true, answers: [new Interrupted()] })],
};

test.each(Object.entries(ways).map(([code, [what, way]]) => ({ code: Number(code), what, way })))(
  '$code: $what, whoever hears of it',
  async ({ code, way }) => {
    expect(await way()).toBe(code);
    expect(await way({ written: left })).toBe(code);
    expect(await way({ said: left })).toBe(code);
  },
);

/** Exit codes that only the end of a process shows. */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

test('every exit code of the table is reached', () => {
  const reached = [...Object.keys(ways).map(Number), ...Object.values(signals)];
  expect([...new Set(reached)].toSorted((a, b) => a - b)).toEqual(exits.map(({ code }) => code));
});

const home = freshHome();
const program = [process.execPath, join(import.meta.dirname, '../../bin/waybill.cjs')];
const env = { PATH: process.env.PATH, HOME: home, NODE_NO_WARNINGS: '1', NODE_DISABLE_COMPILE_CACHE: '1' };
/** Called when a request arrives that never gets a response. */
let hung: () => void = () => {};
const server = createServer((request, response) => {
  if (request.url !== '/v2/account') return hung();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(account));
});
const { port, close } = await listenLocally(server);
afterAll(close);
writeFileSync(join(home, 'key'), 'wb_test_0123456789abcdef', { mode: 0o600 });

test.each(Object.entries(signals))(
  '%s ends the process with the signal, which a shell reports as %i, and leaves nothing half written',
  async (signal, code) => {
    const place = ['--base-url', `http://127.0.0.1:${port}`, '--api-key-file', 'key'];
    const before = readdirSync(home, { recursive: true });
    // The shell prints the process id of the program.
    const script = '"$@" & echo $! >&3; wait $!; echo "code $?" >&2';
    const line = [...program, 'keys', 'create', '--permission', 'read', '--json', ...place];
    const child = spawn('sh', ['-c', script, 'sh', ...line], {
      ...{ cwd: home, env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [, out, err, number] = child.stdio;
    if (!isReadable(out) || !isReadable(err) || !isReadable(number))
      throw new Error('the streams are not piped');
    const [written, said] = [text(out), text(err)];
    const asked = new Promise<void>((resolve) => {
      hung = resolve;
    });
    const [chunk] = await once(number, 'data');
    await asked;
    process.kill(Number(String(chunk)), signal);
    await once(child, 'close');
    const lines = (await said).split('\n');
    const error = lines.find((line) => line.startsWith('{"error"')) ?? '{}';
    expect(jsonOf(error)).toMatchObject({ error: { code: 'interrupted', exit: code } });
    // The shell may print the name of the signal, too.
    expect(lines).toContain(`code ${code}`);
    expect(await written).toBe('');
    expect(readdirSync(home, { recursive: true })).toEqual(before);
  },
);

function isReadable(stream: unknown): stream is NodeJS.ReadableStream {
  return typeof stream === 'object' && stream !== null && 'readable' in stream;
}

/** The exit code of a program, and its stderr. */
async function ended(words: readonly string[], cwd: string, stdout: 'pipe' | number = 'pipe') {
  const [file = '', ...argv] = words;
  const child = spawn(file, argv, { cwd, env, stdio: ['ignore', stdout, 'pipe'] });
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const [exit] = await once(child, 'exit');
  return { exit, said: await said };
}

test.runIf(existsSync('/dev/full'))('a full disk is reported, and not as an internal error', async () => {
  const full = openSync('/dev/full', 'w');
  const running = ended([...program, 'profiles', 'list'], home, full);
  closeSync(full);
  expect(await running).toEqual({
    exit: 1,
    said: 'Error: The answer cannot be written: the disk is full.\n',
  });
});

test('a missing working directory stops only commands that read a path from it', async () => {
  const folder = join(home, 'gone');
  const inFolder = (...argv: string[]) => {
    mkdirSync(folder);
    return ended(['sh', '-c', 'rmdir "$PWD"; exec "$@"', 'sh', ...program, ...argv], folder);
  };
  expect(await inFolder('profiles', 'list')).toEqual({ exit: 0, said: '' });
  expect(await inFolder('orders', 'create', '--file', 'x.json')).toEqual({
    exit: 2,
    said: expect.stringContaining('The current folder is gone'),
  });
});
