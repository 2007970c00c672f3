import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, type Home, program } from '../program/run.ts';
import { postgresForTests } from './postgres.ts';

/** A service whose clock jumps, or whose disk is slow and which is killed: each order once, and answers repeated. */

const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** Waits in fsync as many milliseconds as the file says whose name is in SLOW_FILE. */
const slow_disk = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void nap(void) {
  FILE *file = fopen(getenv("SLOW_FILE"), "r");
  int milliseconds = 0;
  if (file == NULL) return;
  if (fscanf(file, "%d", &milliseconds) == 1) usleep(milliseconds * 1000);
  fclose(file);
}
int fsync(int fd) { nap(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { nap(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
`;

const startedPostgres = postgresForTests();

/** Starts the service; a later start on the same database prints no keys. */
async function startWith(home: Home, env: Record<string, string>, database = join(home.folder, 's.db')) {
  const words = [program, 'serve', '--port', '0', '--database', database, '--wrong-keys', '5', '--json'];
  const child = spawn(process.execPath, words, {
    ...{ cwd: home.folder, env: { ...home.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { child, ...JSON.parse(String(line).split('\n')[0] ?? '') };
}

const place = (side: string, address: string) => ({
  [`${side}_address`]: address,
  [`${side}_name`]: 'Joe',
  [`${side}_phone_number`]: '+13125550142',
});

function requests(key: string) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const create = (url: string, ref: string) =>
    fetch(`${url}/orders/create`, {
      ...{ method: 'POST', headers: { ...headers, 'idempotency-key': `key-${ref}` } },
      body: JSON.stringify({
        settings: { mechanism: 'auto', max_cost: 2000 },
        orders: [
          {
            ...place('pickup', '43 E Ohio St, Chicago, IL 60611'),
            ...place('dropoff', '233 S Wacker Dr, Chicago, IL 60606'),
            ...{ items_description: 'Lunch', external_order_ref: ref },
          },
        ],
      }),
    }).then(async (response) => [response.status, await response.text()] as const);
  const list = async (url: string) => {
    const response = await fetch(`${url}/v2/orders?limit=100`, { headers });
    const { data }: { data: Record<string, string>[] } = JSON.parse(await response.text());
    return Object.fromEntries(data.map((each) => [each.external_order_ref, each.status]));
  };
  /** Makes a key that expires so many milliseconds from now by the right clock; the function tells its status. */
  const expiring = async (url: string, life_ms: number) => {
    const expires_at = new Date(Date.now() + life_ms).toISOString();
    const body = JSON.stringify({ permission: 'read', expires_at });
    const response = await fetch(`${url}/v2/api_keys`, { method: 'POST', headers, body });
    const { key }: { key: string } = JSON.parse(await response.text());
    return async () => (await fetch(`${url}/v2/account`, { headers: { 'x-api-key': key } })).status;
  };
  return { create, list, expiring };
}

/** The answers to wrong keys until one is refused for their number; then its wait in seconds. */
async function refusedAfter(url: string): Promise<{ wrong: number; wait_s: number }> {
  for (let wrong = 0; ; wrong += 1) {
    const response = await fetch(`${url}/v2/account`, { headers: { 'x-api-key': `wb_test_${wrong}` } });
    if (response.status === 429) return { wrong, wait_s: Number(response.headers.get('retry-after')) };
    expect(response.status).toBe(401);
  }
}

const allDispatched = (refs: readonly string[]) => Object.fromEntries(refs.map((ref) => [ref, 'dispatched']));

test.for(['sqlite', 'postgres'])(
  '%s: jumps of the clock by an hour, two days and a year, and back: each answer stays, each order once',
  async (engine, { skip }) => {
    if (!existsSync(faketime)) skip('libfaketime is not installed here');
    const home = freshHome();
    const file = join(home.folder, 'clock');
    writeFileSync(file, '+0');
    const env = { LD_PRELOAD: faketime, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' };
    const database = engine === 'postgres' ? await startedPostgres().newDatabase() : undefined;
    const { url, keys } = await startWith(home, { ...env, DONT_FAKE_MONOTONIC: '1' }, database);
    const { create, list, expiring } = requests(keys.test);
    const [long, short] = [await expiring(url, 3_000_000), await expiring(url, 3_000)];
    // A key that was used is not limited with wrong ones.
    expect(await long()).toBe(200);
    await expect.poll(short).toBe(401);
    expect(await refusedAfter(url)).toMatchObject({ wrong: 5 });
    const answers = new Map<string, string>();
    for (const jump of ['+0', '+3600', '+0', '-3600', '+0', '+172800', '+0', '+31536000', '+0']) {
      writeFileSync(file, jump);
      // A key is read once a second.
      await pause(1_500);
      // The clock of a server is right; a database file has only that of the machine.
      const seconds = engine === 'postgres' ? 0 : Number(jump);
      expect([jump, await long(), await short()]).toEqual([
        ...[jump, seconds > 0 ? 401 : 200],
        seconds < 0 ? 200 : 401,
      ]);
      const { wrong, wait_s } = await refusedAfter(url);
      expect([jump, wrong < 5, wait_s <= 12]).toEqual([jump, true, true]);
      const ref = `${answers.size}`;
      const [status, answer] = await create(url, ref);
      expect([jump, status]).toEqual([jump, 202]);
      answers.set(ref, answer);
      for (const [each, first] of answers)
        expect([jump, ...(await create(url, each))]).toEqual([jump, 202, first]);
    }
    await expect.poll(() => list(url)).toEqual(allDispatched([...answers.keys()]));
  },
);

test('an fsync of two seconds, and kill -9: what was answered is kept, what was not is done once when repeated', async ({
  skip,
}) => {
  const home = freshHome();
  const [source, shim] = [join(home.folder, 'slow.c'), join(home.folder, 'slow.so')];
  writeFileSync(source, slow_disk);
  if (spawnSync('cc', ['-shared', '-fPIC', '-o', shim, source, '-ldl']).status !== 0)
    skip('no C compiler is installed here');
  const file = join(home.folder, 'slow');
  writeFileSync(file, '0');
  const first = await startWith(home, { LD_PRELOAD: shim, SLOW_FILE: file });
  const { create, list } = requests(first.keys.test);
  writeFileSync(file, '2000');
  const refs = Array.from({ length: 12 }, (_, index) => `${index}`);
  const sent = refs.map(async (ref, index) => {
    await pause(index * 500);
    return create(first.url, ref).catch(() => null);
  });
  await Promise.any(sent);
  await pause(2500);
  first.child.kill('SIGKILL');
  const answers = await Promise.all(sent);
  expect(answers).toContain(null);
  writeFileSync(file, '0');
  const { url } = await startWith(home, {});
  const kept = await list(url);
  expect(Object.keys(kept)).toEqual(
    expect.arrayContaining(refs.filter((_, index) => answers[index] != null)),
  );
  for (const ref of refs) expect((await create(url, ref))[0]).toBe(202);
  await expect.poll(() => list(url)).toEqual(allDispatched(refs));
});
