import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { showingDueWork } from '../../../src/cli/session/observed-requests.ts';
import { curlCommand } from '../../../src/cli/session/request-text.ts';
import type { Transport, WireRequest } from '../../../src/contract/operation.ts';
import { startServer } from '../../../src/service/server.ts';
import { freshHome, jsonOf, waybill } from '../harness.ts';
import { obeyed } from '../kit/output/hostile-text.ts';
import { orderLine } from '../sandbox.ts';

const logged: string[] = [];
const server = await startServer({
  ...{ host: '127.0.0.1', port: 0, database: ':memory:', publicUrl: null, sandbox: true, seed: '7' },
  log: (line) => logged.push(JSON.stringify(line)),
});
afterAll(() => server.stop());
const key = server.keys?.test ?? '';
const env = { WAYBILL_BASE_URL: server.url, WAYBILL_API_KEY: key };
const home = freshHome();
const run = promisify(execFile);

async function bash(script: string, variables: Record<string, string>): Promise<string> {
  const { stdout } = await run('bash', ['--norc', '-c', script], {
    env: { PATH: process.env.PATH, ...variables },
  });
  return stdout;
}

const hasCurl = await bash('command -v curl', {}).then(
  () => true,
  () => false,
);

/** Lets bash expand a command: the words that curl would receive. */
async function wordsOf(script: string, variables: Record<string, string>): Promise<string[]> {
  const out = await bash(`curl() { printf '%s\\0' "$@"; }\n${script}`, variables);
  return out.split('\0').slice(0, -1);
}

const notes = `it's "quoted" $HOME \`id\` \\ ünïcode !! and
a second line`;

test('a write shown as curl has the same effect in bash, once for one key', async () => {
  const line = [...orderLine, '--dropoff-notes', notes, '--idempotency-key', 'ci-77'];
  const { stdout, exit } = await waybill([...line, '--dry-run', '--curl'], { env, home });
  expect(exit).toBe(0);
  expect(stdout).not.toContain(key);
  const words = await wordsOf(stdout, { WAYBILL_API_KEY: key });
  expect(words).toContain(`x-api-key: ${key}`);
  expect(words).toContain('idempotency-key: ci-77');
  expect(jsonOf(words.at(-1) ?? '')).toMatchObject({ orders: [{ dropoff_notes: notes }] });
  if (!hasCurl) return;
  const made = await bash(`${stdout.trimEnd()} --silent`, { WAYBILL_API_KEY: key });
  const again = await waybill([...line, '-o', 'id'], { env, home });
  expect(made).toContain(again.stdout.trim());
  expect(made).toContain(JSON.stringify(notes));
});

test('third-party text is shown without control characters and keeps its meaning', async () => {
  const notes = 'Ring\u009b31m\u202e\u2066\u200b\u007f';
  const line = [...orderLine, '--dropoff-notes', notes, '--dry-run', '--idempotency-key', 'ci-1'];
  for (const flags of [[], ['--curl'], ['--json']]) {
    const { stdout } = await waybill([...line, ...flags], { env, home });
    expect(obeyed.exec(stdout)).toBeNull();
    if (flags[0] !== '--curl') continue;
    const words = await wordsOf(stdout, { WAYBILL_API_KEY: key });
    expect(jsonOf(words.at(-1) ?? '')).toMatchObject({ orders: [{ dropoff_notes: notes }] });
  }
});

test('for the embedded service the address is a variable', async () => {
  const request = { method: 'GET', path: "/v2/orders?external_order_ref=it's", headers: {}, body: '' };
  const command = curlCommand(request, null);
  const words = await wordsOf(command, { WAYBILL_BASE_URL: 'http://127.0.0.1:1' });
  expect(words).toEqual(["http://127.0.0.1:1/v2/orders?external_order_ref=it's"]);
});

test('--debug shows requests and responses without keys, webhook secrets and phone numbers', async () => {
  const lines = [
    ['keys', 'create', '--permission', 'read', '--json'],
    ['webhooks', 'create', 'https://shop.example/hooks', '--json'],
  ];
  for (const line of lines) {
    const { stdout, stderr } = await waybill([...line, '--debug', '--curl'], { env, home });
    const { key: made, secret } = jsonOf(stdout);
    expect(stderr).toMatch(/^> POST \/v2/m);
    expect(stderr).toMatch(/^< 20\d$/m);
    expect(stderr).not.toContain(String(made ?? secret));
    expect(stderr).not.toContain(key);
  }
  const token = await waybill(['login', '--with-token', '--debug', '--curl', '--insecure-storage'], {
    ...{ env: { WAYBILL_BASE_URL: server.url, WAYBILL_PROFILE: 'far' }, home: freshHome(), stdin: key },
  });
  expect([token.exit, token.stdout + token.stderr]).toEqual([0, expect.not.stringContaining(key)]);
});

const request: WireRequest = { method: 'GET', path: '/', headers: {}, body: '' };

/** A service with slow responses on a simulated clock, and the displayed waits. */
function slow() {
  let now = 0;
  let takes = 0;
  let due: { at: number; expired(): void } | null = null;
  const shown: string[] = [];
  const host = {
    now: () => now,
    timer: (milliseconds: number, expired: () => void) => {
      due = { at: now + milliseconds, expired };
      return () => {
        due = null;
      };
    },
  };
  const transport: Transport = async () => {
    now += takes;
    if (due !== null && due.at <= now) due.expired();
    return { status: 200, headers: {}, body: '' };
  };
  const show = async () => {
    shown.push('shown');
    return { say: () => {}, stop: () => void shown.push('stopped') };
  };
  const carry = showingDueWork(transport, { host, show });
  const after = async (...durations: number[]) => {
    for (const duration of durations) {
      takes = duration;
      await carry(request);
    }
    return shown.splice(0);
  };
  return { after };
}

test('a wait of more than a second is shown until the response', async () => {
  const { after } = slow();
  expect(await after(999)).toEqual([]);
  expect(await after(10, 1000)).toEqual(['shown', 'stopped']);
});

test('slow consecutive requests count together, quick ones do not', async () => {
  const { after } = slow();
  expect(await after(700, 400)).toEqual(['shown', 'stopped']);
  expect(await after(10, 700, 10, 700)).toEqual([]);
  expect(await after(...Array(30).fill(200))).toEqual([]);
});
