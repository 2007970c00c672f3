import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSealing, readKeyId } from '../../src/service/runtime/sealing.ts';
import { newKey, readSecretKeys } from '../../src/service/runtime/secret-keys.ts';
import { openSecretRotation } from '../../src/service/secret-rotation.ts';
import { hasSecrets } from '../../src/storage/settings.ts';
import { newDatabase } from '../databases.ts';
import { acceptingCouriers, doorDashSettings } from '../fakes/courier-check.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { startFixture } from './fixture.ts';

const engines = {
  sqlite: async () => join(temporaryFolder(), 'shop.db'),
  postgres: newDatabase,
};

/** A service whose key is in a file, and the database of which is open for a rotation. */
async function startService(engine: keyof typeof engines) {
  const database = await engines[engine]();
  const file = join(temporaryFolder(), 'shop.key');
  const first = await newKey();
  writeFileSync(file, first);
  const sealing = createSealing(readSecretKeys(database, { file }));
  const parts = { sealing, courier_http: () => acceptingCouriers };
  const fixture = await startFixture({ location: database, parts });
  onTestFinished(() => fixture.storage.close());
  const openRotation = async (value?: string) => {
    const rotation = await openSecretRotation(database, value === undefined ? { file } : { value });
    onTestFinished(() => rotation.close());
    return rotation;
  };
  const rows = () =>
    fixture.storage.run((db) =>
      db.selectFrom('webhook_endpoints').select(['id', 'secret', 'previous_secrets']).orderBy('id').execute(),
    );
  return { database, file, first, fixture, sealing, openRotation, rows };
}

type Started = Awaited<ReturnType<typeof startService>>;

async function endpoints({ fixture }: Started, count: number): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  for (let index = 0; index < count; index += 1) {
    const { data } = await fixture.client().webhooks.create({ body: { url: `http://127.0.0.1:1/${index}` } });
    made.set(data.id, data.secret ?? '');
  }
  return made;
}

// A server may take its time to start.
describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('a rotation encrypts every secret again, and a service that runs reads and writes with both keys', async () => {
    const service = await startService(engine);
    const secrets = await endpoints(service, 3);
    const rotation = await service.openRotation();
    const before = await rotation.uses();
    expect(before.keys).toEqual([{ key: expect.any(String), state: 'current', secrets: 3 }]);
    const [old] = before.keys;

    const { key, ...rotated } = await rotation.rotate({ createsKey: true });
    expect(rotated).toEqual({ file: service.file, created: true, encrypted: 3, unreadable: 0 });
    expect(await rotation.uses()).toMatchObject({
      keys: [
        { key, state: 'current', secrets: 3 },
        { key: old?.key, state: 'previous', secrets: 0 },
      ],
    });
    for (const row of await service.rows()) {
      expect(readKeyId(row.secret)).toBe(key);
      expect(await service.sealing.open(row.id, row.secret)).toBe(secrets.get(row.id));
    }
    await endpoints(service, 1);
    expect((await service.rows()).map(({ secret }) => readKeyId(secret))).toEqual([key, key, key, key]);

    // The next rotation removes the key that no secret needs.
    const next = await rotation.rotate({ createsKey: true });
    expect((await rotation.uses()).keys.map((use) => use.key)).toEqual([next.key, key]);
    expect(readFileSync(service.file, 'utf8')).not.toContain(service.first);
  });

  test('the credentials of couriers are encrypted again, and a check reads them', async () => {
    const service = await startService(engine);
    const params = { name: 'doordash-drive' };
    const { couriers } = service.fixture.client();
    expect(await service.fixture.storage.read(hasSecrets)).toBe(false);
    await couriers.connect({ params, body: { settings: doorDashSettings('sandbox') } });
    expect(await service.fixture.storage.read(hasSecrets)).toBe(true);
    const rotation = await service.openRotation();
    const { key, encrypted } = await rotation.rotate({ createsKey: true });
    expect(encrypted).toBe(1);
    expect((await rotation.uses()).keys[0]).toEqual({ key, state: 'current', secrets: 1 });
    expect((await couriers.check({ params })).data.state).toBe('enabled');
    const { secrets } = await service.fixture.storage.run((db) =>
      db.selectFrom('couriers').select('secrets').executeTakeFirstOrThrow(),
    );
    expect(secrets).toContain(key);
    expect(secrets).not.toContain(doorDashSettings('sandbox').signing_secret);
  });

  test('the previous secrets of an endpoint are encrypted again too', async () => {
    const service = await startService(engine);
    const [[id = '', secret = ''] = []] = await endpoints(service, 1);
    await service.fixture.client().webhooks.rotate({ params: { webhook_endpoint_id: id } });
    const rotation = await service.openRotation();
    const { key, encrypted } = await rotation.rotate({ createsKey: true });
    expect([encrypted, (await rotation.uses()).keys[0]?.secrets]).toEqual([2, 2]);
    const [row] = await service.rows();
    const [previous]: { secret: string }[] = JSON.parse(row?.previous_secrets ?? '[]');
    expect(readKeyId(previous?.secret ?? '')).toBe(key);
    expect(await service.sealing.open(id, previous?.secret ?? '')).toBe(secret);
    expect(await rotation.rotate({ createsKey: false })).toMatchObject({ encrypted: 0 });
  });

  test('more rows than a batch, with endpoints that are rotated meanwhile, end with readable secrets', async () => {
    const service = await startService(engine);
    const secrets = await endpoints(service, 90);
    const live = service.fixture.client(service.fixture.keys.live);
    for (let index = 0; index < 90; index += 1) {
      const { data } = await live.webhooks.create({ body: { url: `http://127.0.0.1:1/live/${index}` } });
      secrets.set(data.id, data.secret ?? '');
    }
    const rotation = await service.openRotation();
    const { key: first } = await rotation.rotate({ createsKey: false });
    const rotating = rotation.rotate({ createsKey: true });
    // Another rotation begins meanwhile.
    while ((await service.rows()).every(({ secret }) => readKeyId(secret) === first)) await setImmediate();
    writeFileSync(service.file, `${await newKey()}\n${readFileSync(service.file, 'utf8')}`);
    for (const [index, id] of [...secrets.keys()].entries()) {
      if (index % 9 !== 0) continue;
      const client = index < 90 ? service.fixture.client() : live;
      const { data } = await client.webhooks.rotate({ params: { webhook_endpoint_id: id } });
      secrets.set(id, data.secret ?? '');
    }
    expect((await rotating).unreadable).toBe(0);
    const rows = await service.rows();
    expect(rows).toHaveLength(180);
    for (const row of rows) {
      expect(await service.sealing.open(row.id, row.secret)).toBe(secrets.get(row.id));
    }
    const { key } = await rotation.rotate({ createsKey: false });
    for (const row of await service.rows()) expect(readKeyId(row.secret)).toBe(key);
  });
});

test("keys in the environment are the operator's: the first one encrypts, and no key is created", async () => {
  const service = await startService('sqlite');
  await endpoints(service, 2);
  const text = `${await newKey()},${service.first}`;
  const rotation = await service.openRotation(text);
  expect(await rotation.rotate({ createsKey: true })).toMatchObject({
    file: null,
    created: false,
    encrypted: 2,
    unreadable: 0,
  });
  const only = await service.openRotation(text.split(',')[0]);
  expect((await only.uses()).keys).toEqual([{ key: expect.any(String), state: 'current', secrets: 2 }]);
});

test('secrets whose key is lost are counted, kept, and do not stop the others', async () => {
  const service = await startService('sqlite');
  await endpoints(service, 2);
  const [lost] = await service.rows();
  writeFileSync(service.file, await newKey());
  await endpoints(service, 1);
  const rotation = await service.openRotation();
  expect((await rotation.uses()).keys.map(({ state, secrets }) => [state, secrets])).toEqual([
    ['current', 1],
    ['missing', 2],
  ]);
  expect(await rotation.rotate({ createsKey: true })).toMatchObject({ encrypted: 1, unreadable: 2 });
  expect((await service.rows())[0]).toEqual(lost);
});

test('a mistyped key file is not created for a database that needs another', async () => {
  const service = await startService('sqlite');
  await endpoints(service, 1);
  const file = join(temporaryFolder(), 'other.key');
  const rotation = await openSecretRotation(service.database, { file });
  onTestFinished(() => rotation.close());
  await expect(rotation.rotate({ createsKey: true })).rejects.toMatchObject({ code: 'secret_key_missing' });
  expect(() => readFileSync(file)).toThrow('ENOENT');
});
