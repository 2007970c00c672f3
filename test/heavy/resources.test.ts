import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { percentile } from '../kills/totals.ts';
import { freshHome, root } from '../program/run.ts';

const mebibyte = 1024 * 1024;
const children: ChildProcess[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/**
 * Measurements of the service process: the longest block of its event loop, in CPU time of its thread, so that other
 * processes do not count; and its peak memory.
 */
interface Measured {
  block_ms: number;
  memory: number;
}

/** Loaded into the service before it starts. */
const probe = `
  let last = process.threadCpuUsage();
  let block_ms = 0;
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    block_ms = Math.max(block_ms, (user + system) / 1000);
  }, 5).unref();
  process.on('message', (message) => {
    if (message === 'reset') block_ms = 0;
    else process.send({ block_ms, memory: process.resourceUsage().maxRSS * 1024 });
  });
`;

interface Served {
  port: number;
  key: string;
  measure: () => Promise<Measured>;
}

async function serve(): Promise<Served> {
  const home = freshHome();
  const probeFile = join(home.folder, 'probe.cjs');
  writeFileSync(probeFile, probe);
  const argv = ['serve', '--port', '0', '--database', join(home.folder, 'served.db'), '--json', '--quiet'];
  const child = spawn(process.execPath, ['--require', probeFile, join(root, 'bin/waybill.cjs'), ...argv], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  children.push(child);
  if (child.stdout === null) throw new Error('stdout is not piped');
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const ready: { url: string; keys: { test: string } } = JSON.parse(line);
  child.send('reset');
  const measure = async (): Promise<Measured> => {
    child.send('measure');
    const [measured] = await once(child, 'message');
    return measured;
  };
  return { port: Number(new URL(ready.url).port), key: ready.keys.test, measure };
}

/** A separate connection whose end and errors are ignored. */
function open({ port }: Served): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
}

interface Asked {
  method?: string;
  path?: string;
  key: string;
  body?: string;
  agent: Agent;
}

function ask(
  served: Served,
  { method = 'GET', path = '/v2/account', key, body = '', agent }: Asked,
): Promise<number> {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: served.port, method, path, headers, agent }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A merchant that keeps requesting its account; the function ends it and returns statuses and durations. */
function keepRequesting(served: Served) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = new Set<number | string>();
  const took: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const started = performance.now();
      const status = await ask(served, { key: served.key, agent }).catch((fault) => String(fault));
      statuses.add(status);
      took.push(performance.now() - started);
      await pause(20);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    agent.destroy();
    return { statuses, took };
  };
}

/** Begins 80 requests with bodies of a size, of which only some bytes are sent. */
function sendBodies(
  served: Served,
  { size, sent, key }: { size: number; sent: number; key?: string },
): Socket[] {
  const lines = [
    'POST /v2/orders/create HTTP/1.1',
    'Host: shop.example',
    'Content-Type: application/json',
    ...(key === undefined ? [] : [`X-API-Key: ${key}`]),
    `Content-Length: ${size}`,
  ];
  const piece = Buffer.alloc(mebibyte, 32);
  return Array.from({ length: 80 }, () => {
    const socket = open(served);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    for (let at = 0; at < sent; at += mebibyte) socket.write(piece);
    return socket;
  });
}

const attacks: [string, (served: Served) => Promise<void>][] = [
  [
    '80 sockets without a key that send 8 MiB each',
    async (served) => {
      sendBodies(served, { size: 8 * mebibyte, sent: 8 * mebibyte });
      await pause(3_000);
    },
  ],
  [
    '80 bodies that come a byte at a time',
    async (served) => {
      const slow = sendBodies(served, { size: 8 * mebibyte, sent: 0, key: served.key });
      for (const socket of slow) socket.resume();
      const sendOne = () => {
        for (const socket of slow) if (socket.writable) socket.write(' ');
        return slow.filter(({ closed }) => !closed).length;
      };
      await expect.poll(sendOne, { interval: 1_000 }).toBe(0);
    },
  ],
  [
    '80 sockets with a key whose 8 MiB end a byte too early',
    async (served) => {
      const bodies = { size: 8 * mebibyte + 1, sent: 8 * mebibyte, key: served.key };
      for (const socket of sendBodies(served, bodies)) socket.resume();
      await pause(3_000);
    },
  ],
  [
    '8 MiB of unknown fields, two at a time',
    async (served) => {
      const fields = Array.from({ length: 500_000 }, (_, index) => `"junk_${index}":1`).join(',');
      const body = `{${fields}}`;
      const agent = new Agent({ keepAlive: true, maxSockets: 2 });
      const asked = { method: 'POST', path: '/v2/orders/create', key: served.key, body, agent };
      const statuses = await Promise.all(Array.from({ length: 10 }, () => ask(served, asked)));
      expect(new Set(statuses)).toEqual(new Set([400]));
      agent.destroy();
    },
  ],
  [
    '5,000 wrong keys',
    async (served) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 20 });
      const began = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: 5_000 }, (_, index) => ask(served, { key: `wb_test_${index}`, agent })),
      );
      agent.destroy();
      const passed_s = (performance.now() - began) / 1_000;
      const tried = statuses.filter((status) => status === 401).length;
      expect(tried).toBeGreaterThanOrEqual(60);
      // Another one a second.
      expect(tried).toBeLessThan(62 + passed_s);
      expect(statuses.filter((status) => status === 429)).toHaveLength(5_000 - tried);
    },
  ],
  [
    '200 clients that ask for the description and never read it',
    async (served) => {
      const asking = 'GET /openapi.json HTTP/1.1\r\nHost: shop.example\r\n\r\n'.repeat(16);
      for (let index = 0; index < 200; index++) open(served).pause().write(asking);
      await pause(5_000);
    },
  ],
];

/** The CPU time in ms that the largest body takes to parse here, which is the longest piece of work of an honest client. */
function timeToParse(): number {
  const body = JSON.stringify(Array.from({ length: mebibyte / 2 }, (_, index) => `junk_${index}`));
  const began = process.threadCpuUsage();
  JSON.parse(body);
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}

test('no client exhausts the memory or the time of the others', async () => {
  const served = await serve();
  // Code loaded on first use is not a block that a client could cause.
  const agent = new Agent();
  const created = { method: 'POST', path: '/v2/orders/create', body: '{"orders":[]}' };
  await ask(served, { ...created, key: served.key, agent });
  await ask(served, { path: '/openapi.json', key: '', agent });
  children[0]?.send('reset');
  const report: Record<string, Measured & { slowest_ms: number; p99_ms: number }> = {};
  for (const [name, attack] of attacks) {
    const end = keepRequesting(served);
    await attack(served).catch((fault) => {
      throw new Error(name, { cause: fault });
    });
    const { statuses, took } = await end();
    for (const socket of sockets.splice(0)) socket.destroy();
    expect(statuses, name).toEqual(new Set([200]));
    report[name] = {
      ...(await served.measure()),
      slowest_ms: Math.max(...took),
      p99_ms: percentile(took, 99),
    };
    children[0]?.send('reset');
  }
  const body_ms = timeToParse();
  console.log(report, { body_ms });
  for (const [name, { block_ms, memory }] of Object.entries(report)) {
    // The description has 0.87 MB: 200 whole copies of it in memory would be 174 MB more.
    expect(memory, name).toBeLessThan(250e6);
    expect(block_ms, name).toBeLessThan(3 * body_ms);
  }
});
