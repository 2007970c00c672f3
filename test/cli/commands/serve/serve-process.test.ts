import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, inject, test } from 'vitest';
import { realTimers } from '../../../../src/service/runtime/time.ts';
import { freshHome } from '../../harness.ts';

const program = join(import.meta.dirname, '../../../../bin/waybill.cjs');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Served {
  url: string;
  child: ChildProcess;
  /** Its exit code and signal. */
  ended: Promise<unknown[]>;
}

/** Serves in a separate process with an unread stderr. */
async function serve(flags: readonly string[] = [], format = ['--json']): Promise<Served> {
  const home = freshHome();
  const argv = ['serve', '--port', '0', '--database', ':memory:', ...format, ...flags];
  const child = spawn(process.execPath, [program, ...argv], {
    env: { PATH: process.env.PATH, HOME: home, NODE_NO_WARNINGS: '1', WAYBILL_CACHE_DIR: inject('compiled') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const ended = once(child, 'exit');
  if (child.stdout === null) throw new Error('no stdout');
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const [url = ''] = /http:[^"\s]+/.exec(line) ?? [];
  return { url, child, ended };
}

function pause(ms: number): Promise<null> {
  return new Promise((resolve) => realTimers.after(ms, () => resolve(null)));
}

interface Answer {
  status: number;
  connection: string | undefined;
}

function ask(url: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: agent ?? false }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection });
      });
    });
    request.on('error', reject);
  });
}

test('a stalled reader of stderr delays no request, and dropped lines are counted', async () => {
  const { url, child } = await serve();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const path = `/${'x'.repeat(8_000)}`;
  for (let index = 0; index < 300; index++) expect((await ask(url + path, agent)).status).toBe(404);
  agent.destroy();
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toMatch(/\{"type":"log_dropped","lines":\d+\}\n$/);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.length - 1 + lines.at(-1).lines).toBe(300);
});

test('SIGTERM ends the server although a reader of stderr stalls', async () => {
  const { url, child, ended } = await serve(['--drain-delay', '0s']);
  const path = `/${'x'.repeat(8_000)}`;
  for (let index = 0; index < 40; index++) await ask(url + path);
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});

test.each(['SIGTERM', 'SIGHUP'] as const)(
  'at %s new connections are answered for a while, each once, and then refused',
  async (signal) => {
    const { url, child, ended } = await serve(['--drain-delay', '700ms']);
    child.stderr?.resume();
    expect((await ask(`${url}/health`)).status).toBe(200);
    child.kill(signal);
    await expect.poll(async () => (await ask(`${url}/health/ready`)).status).toBe(503);
    const agent = new Agent({ keepAlive: true });
    const outcomes: (Answer | string)[] = [];
    for (let isOver = false; !isOver; ) {
      const outcome = await ask(`${url}/health/live`, agent).catch((error) => String(error.code));
      outcomes.push(outcome);
      await pause(20);
      isOver = typeof outcome === 'string';
    }
    expect(outcomes.length).toBeGreaterThan(1);
    // Connections accepted by the kernel are reset when the listener closes.
    expect(outcomes.pop()).toMatch(/^ECONNRE(FUSED|SET)$/);
    for (const outcome of outcomes) expect(outcome).toEqual({ status: 200, connection: 'close' });
    expect(await ended).toEqual([null, signal]);
  },
);

test('a second signal of any kind ends it at once', async () => {
  const { url, child, ended } = await serve(['--drain-delay', '1h']);
  child.kill('SIGTERM');
  await expect.poll(async () => (await ask(`${url}/health/ready`)).status).toBe(503);
  expect((await ask(`${url}/health/live`)).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
});

test('with --log-format json the log has nothing but objects, also at the end', async () => {
  const { child } = await serve(['--host', '0.0.0.0'], ['--log-format', 'json']);
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.kill('SIGTERM');
  await once(child, 'close');
  const objects = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(objects).toContainEqual({
    error: expect.objectContaining({
      code: 'interrupted',
      message: expect.stringContaining('Shutting down'),
    }),
  });
});

test('Ctrl+C does not wait for new connections', async () => {
  const { child, ended } = await serve(['--drain-delay', '1h']);
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
});

test('flags are limits of the server', async () => {
  const limits = ['--max-connections', '1', '--receive-timeout', '300ms'];
  const { url } = await serve([...limits, '--trusted-proxy', '10.1.0.0/16,10.0.0.0/8']);
  const port = Number(new URL(url).port);
  const slow = connect(port, '127.0.0.1');
  slow.write('GET /health HTTP/1.1\r\nHost: a\r\n');
  await once(slow, 'connect');
  await expect(ask(`${url}/health`)).rejects.toMatchObject({ code: 'ECONNRESET' });
  const [answer] = await once(slow.setEncoding('utf8'), 'data');
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
});
