import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDatabase } from '../../../databases.ts';
import { errorOf, freshHome, jsonOf, linesIn, waybill } from '../../harness.ts';

/** A home with an endpoint of the embedded service, its secret, and the paths of the database and its key. */
async function withEndpoint() {
  const home = freshHome();
  const env = { WAYBILL_DATA_DIR: join(home, 'data') };
  const run = (...words: string[]) => waybill([...words, '--json'], { home, env });
  const { stdout } = await run('webhooks', 'create', 'http://127.0.0.1:1/hooks');
  const { id, secret } = jsonOf(stdout);
  const database = join(env.WAYBILL_DATA_DIR, 'waybill.db');
  return { home, env, run, id: String(id), secret: String(secret), database, key: `${database}.secret-key` };
}

test('the embedded service creates its key with the first secret, and the secret is not in the database', async () => {
  const home = freshHome();
  const env = { WAYBILL_DATA_DIR: join(home, 'data') };
  const key = join(env.WAYBILL_DATA_DIR, 'waybill.db.secret-key');
  await waybill(['webhooks', 'list'], { home, env });
  expect(existsSync(key)).toBe(false);
  const made = await withEndpoint();
  expect(statSync(made.key).mode & 0o777).toBe(0o600);
  for (const file of [made.database, `${made.database}-wal`].filter(existsSync)) {
    expect(readFileSync(file, 'latin1')).not.toContain(made.secret.slice('whsec_'.length));
  }
});

test('rotating the key of the embedded service shows the keys by their ids alone', async () => {
  const { run, key, id } = await withEndpoint();
  const first = readFileSync(key, 'utf8').trim();
  const rotated = await run('secrets', 'rotate');
  expect(jsonOf(rotated.stdout)).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{8}$/),
    ...{ file: key, created: true, encrypted: 1, unreadable: 0 },
  });
  expect(rotated.exit).toBe(0);
  const status = await run('secrets', 'status');
  expect(JSON.parse(status.stdout)).toMatchObject([
    { state: 'current', secrets: 1 },
    { state: 'previous', secrets: 0 },
  ]);
  const text = rotated.stdout + rotated.stderr + status.stdout + status.stderr;
  for (const each of linesIn(readFileSync(key, 'utf8'))) expect(text).not.toContain(each);
  expect(readFileSync(key, 'utf8')).toContain(first);
  expect((await run('webhooks', 'rotate-secret', id, '--yes')).exit).toBe(0);
});

test('without its key a secret is refused, with the command that shows the keys', async () => {
  const { home, env, database, key, id } = await withEndpoint();
  writeFileSync(key, 'not a key');
  const line = ['webhooks', 'rotate-secret', id, '--yes', '--json'];
  const refused = await waybill(line, { home, env });
  expect(refused.exit).toBe(6);
  expect(errorOf(refused.stderr)).toMatchObject({
    code: 'secret_key_missing',
    next: [{ command: 'waybill secrets status' }],
  });
  const status = await waybill(['secrets', 'status', '--json'], { home, env });
  expect([status.exit, errorOf(status.stderr).code]).toEqual([6, 'secret_key_missing']);
  const named = ['--database', database, '--secret-key-file', key];
  const rotated = await waybill(['secrets', 'rotate', ...named, '--json'], { home, env });
  // `secrets status` refuses such a key, too.
  expect(errorOf(rotated.stderr)).toMatchObject({ next: [] });
  const served = await waybill(['serve', '--port', '0', '--secret-key-file', key], { home, env });
  expect([served.exit, served.stderr]).toEqual([2, expect.stringContaining('openssl rand -base64 32')]);
});

test('a lost key is exit 10 of a rotation', async () => {
  const { home, env, key } = await withEndpoint();
  writeFileSync(key, Buffer.alloc(32, 7).toString('base64'));
  const rotated = await waybill(['secrets', 'rotate'], { home, env });
  expect([rotated.exit, rotated.stderr]).toEqual([10, expect.stringContaining('create those secrets again')]);
});

test('no second key is created while the key of stored secrets is missing, so that it can be put back', async () => {
  const { run, key } = await withEndpoint();
  const kept = readFileSync(key);
  rmSync(key);
  const refused = await run('webhooks', 'create', 'http://127.0.0.1:1/other');
  expect([refused.exit, errorOf(refused.stderr)]).toEqual([
    6,
    expect.objectContaining({ code: 'secret_key_missing', message: expect.stringContaining('put it back') }),
  ]);
  expect(existsSync(key)).toBe(false);
  writeFileSync(key, kept);
  expect((await run('webhooks', 'create', 'http://127.0.0.1:1/other')).exit).toBe(0);
  for (const { id: each } of JSON.parse((await run('webhooks', 'list')).stdout))
    expect((await run('webhooks', 'rotate-secret', each, '--yes')).exit).toBe(0);
});

test('WAYBILL_SECRET_KEY comes before the file of the embedded service, which still decrypts', async () => {
  const made = await withEndpoint();
  const env = { ...made.env, WAYBILL_SECRET_KEY: Buffer.alloc(32, 9).toString('hex') };
  const status = async () =>
    JSON.parse((await waybill(['secrets', 'status', '--json'], { home: made.home, env })).stdout);
  expect(await status()).toMatchObject([
    { state: 'current', secrets: 0 },
    { state: 'previous', secrets: 1 },
  ]);
  const rotated = await waybill(['secrets', 'rotate', '--json'], { home: made.home, env });
  expect(jsonOf(rotated.stdout)).toMatchObject({ file: null, created: false, encrypted: 1 });
  expect(await status()).toMatchObject([
    { state: 'current', secrets: 1 },
    { state: 'previous', secrets: 0 },
  ]);
});

test('a service on PostgreSQL without a key starts, says so, and refuses what needs one', async () => {
  const home = freshHome();
  const controller = new AbortController();
  const ready = Promise.withResolvers<string>();
  const line = ['serve', '--port', '0', '--json', '--database', await newDatabase()];
  const running = waybill(line, { home, signal: controller.signal, written: ready.resolve });
  const { url, keys } = JSON.parse(await ready.promise);
  const env = { WAYBILL_BASE_URL: url, WAYBILL_API_KEY: keys.live };
  const created = await waybill(['webhooks', 'create', 'https://shop.example/hooks', '--json'], {
    home,
    env,
  });
  expect([created.exit, errorOf(created.stderr)]).toMatchObject([6, { code: 'secret_key_missing' }]);
  const { stdout } = await waybill(['webhooks', 'list', '--json'], { home, env });
  expect(JSON.parse(stdout)).toEqual([]);
  controller.abort();
  expect((await running).stderr).toContain('Set WAYBILL_SECRET_KEY or --secret-key-file');
});
