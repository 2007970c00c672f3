import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { sealedPushes, sealedPushKeys } from '../../../src/service/fleet/driver-push.ts';
import { hashKey } from '../../../src/service/http/authentication.ts';
import { createSealing, readKeyId } from '../../../src/service/runtime/sealing.ts';
import { keysInMemory } from '../../../src/service/runtime/secret-keys.ts';
import { hasSecrets } from '../../../src/storage/settings.ts';
import { listenLocally } from '../../local-server.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { fakeWeb, publicAddress } from '../webhooks/fake-web.ts';
import { dispatchToFleet, type Phone, phone } from './fleet.ts';

/** A push service with a phone, as a browser subscribes it. */
async function pushService(statuses: number[] = []) {
  const received: { headers: IncomingHttpHeaders; body: Buffer; path: string }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await buffer(request), path: request.url ?? '' });
    response.writeHead(statuses.shift() ?? 201).end();
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  const key = createECDH('prime256v1');
  const auth = randomBytes(16);
  const keys = { p256dh: key.generateKeys('base64url'), auth: auth.toString('base64url') };
  const subscription = { endpoint: `http://127.0.0.1:${port}/send/1`, keys };
  return { received, subscription, open: (body: Buffer) => decrypt(body, key, auth) };
}

/** The content of a message: RFC 8291 with the aes128gcm encoding of RFC 8188, in one record. */
function decrypt(body: Buffer, key: ReturnType<typeof createECDH>, auth: Buffer): unknown {
  const [salt, length] = [body.subarray(0, 16), body[20] ?? 0];
  const sender = body.subarray(21, 21 + length);
  const derive = (secret: Buffer, from: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, from, info, bytes));
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), key.getPublicKey(), sender]);
  const secret = derive(key.computeSecret(sender), auth, about, 32);
  const content_key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const sealed = body.subarray(21 + length);
  const opening = createDecipheriv('aes-128-gcm', content_key, nonce).setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
  return JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString());
}

const push = (fixture: Fixture, { token }: Phone, body: object) =>
  fixture.send('POST', `/drive/${token}/push`, { body });

const stored = (fixture: Fixture) =>
  fixture.storage.run((db) => db.selectFrom('driver_pushes').selectAll().execute());

/** A driver with a phone that has subscribed. */
async function subscribed(fixture: Fixture, name = 'Sam', statuses: number[] = []) {
  const driver = await phone(fixture, name);
  const service = await pushService(statuses);
  const { body } = await push(fixture, driver, { subscription: service.subscription });
  return { driver, body, ...service };
}

test('an offer is sent to the phone, encrypted and signed, and the stored secrets are encrypted', async () => {
  const fixture = await startFixture();
  const { driver, body: answer, received, open } = await subscribed(fixture);
  const { public_key } = JSON.parse((await push(fixture, driver, {})).body);
  expect(public_key).toMatch(/^[\w-]{87}$/);
  expect(JSON.parse(answer)).toEqual({ object: 'push', public_key });
  const [row] = await stored(fixture);
  expect(JSON.stringify(row)).not.toContain('/send/1');
  await dispatchToFleet(fixture);
  await fixture.pass(1_000);
  const [{ headers, body, path } = { headers: {}, body: Buffer.alloc(0), path: '' }] = received;
  expect(path).toBe('/send/1');
  expect(headers).toMatchObject({
    ttl: '90',
    urgency: 'high',
    topic: 'offer',
    'content-encoding': 'aes128gcm',
  });
  expect(headers.authorization).toMatch(new RegExp(`^vapid t=[^,]+, k=${public_key}$`));
  expect(open(body)).toEqual({
    title: 'New delivery',
    text: 'From 43 E Ohio St, Chicago, IL 60611 to 233 S Wacker Dr, Chicago, IL 60606. About 17 min, 1.9 mi',
  });
  expect(fixture.faults).toEqual([]);
});

test('a phone reads in its own language, one that subscribed before English, and an offer says its tip', async () => {
  const fixture = await startFixture();
  const { driver, received, open, subscription } = await subscribed(fixture);
  const spanish = await pushService();
  const headers = { 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' };
  const body = { subscription: spanish.subscription };
  await fixture.send('POST', `/drive/${driver.token}/push`, { body, headers });
  const { sealing } = fixture.config;
  const earlier = (await stored(fixture)).find(({ id }) => id === hashKey(subscription.endpoint));
  const sealed = await sealing.seal(earlier?.id ?? '', JSON.stringify(subscription));
  await fixture.storage.run((db) =>
    db
      .updateTable('driver_pushes')
      .set({ subscription: sealed })
      .where('id', '=', earlier?.id ?? '')
      .execute(),
  );
  await dispatchToFleet(fixture, { requests: [orderRequest({ tip: 450 })] });
  await fixture.pass(1_000);
  expect(received.map((each) => open(each.body))).toEqual([
    expect.objectContaining({ title: 'New delivery', text: expect.stringMatching(/ mi, tip \$4\.50$/) }),
  ]);
  expect(spanish.received.map((each) => spanish.open(each.body))).toEqual([
    {
      title: 'Nueva entrega',
      text: 'De 43 E Ohio St, Chicago, IL 60611 a 233 S Wacker Dr, Chicago, IL 60606. Unos 17 min, 1.9 mi, propina de $4.50',
    },
  ]);
});

test('a message that the version before has queued is sent as it is', async () => {
  const fixture = await startFixture();
  const { received, open } = await subscribed(fixture);
  await dispatchToFleet(fixture);
  const queued = await fixture.storage.run((db) =>
    db.selectFrom('tasks').select(['id', 'payload']).where('kind', '=', 'driver.push').execute(),
  );
  for (const { id, payload } of queued) {
    const { news: _, ...older } = JSON.parse(payload);
    await fixture.storage.run((db) =>
      db
        .updateTable('tasks')
        .set({ payload: JSON.stringify({ ...older, title: 'New delivery', text: 'From here to there' }) })
        .where('id', '=', id)
        .execute(),
    );
  }
  await fixture.pass(1_000);
  expect(received.map(({ body }) => open(body))).toEqual([
    { title: 'New delivery', text: 'From here to there' },
  ]);
});

test('a new link forgets the phones of the old one', async () => {
  const fixture = await startFixture();
  const { driver } = await subscribed(fixture);
  expect(await stored(fixture)).toHaveLength(1);
  await fixture.client().drivers.link({ params: { driver_id: driver.id } });
  expect(await stored(fixture)).toEqual([]);
});

test('a phone that subscribes while its link is replaced, or its driver removed, is not kept', async () => {
  let meanwhile = async () => {};
  const resolve = async () => {
    await meanwhile();
    return [publicAddress];
  };
  const fixture = await startFixture({ parts: { web: { ...fakeWeb(), resolve } } });
  const client = fixture.client();
  const { subscription } = await pushService();
  const named = { ...subscription, endpoint: 'https://push.example/send/1' };
  for (const change of ['link', 'delete'] as const) {
    const driver = await phone(fixture, 'Sam', { duty: false });
    meanwhile = async () => void (await client.drivers[change]({ params: { driver_id: driver.id } }));
    expect((await push(fixture, driver, { subscription: named })).status).toBe(200);
    expect(await stored(fixture)).toEqual([]);
  }
});

test('a dispatcher who gives a delivery to another driver tells both phones', async () => {
  const fixture = await startFixture();
  const [sam, kim] = [await subscribed(fixture, 'Sam'), await subscribed(fixture, 'Kim')];
  const { deliveries } = await dispatchToFleet(fixture, { driver_id: sam.driver.id });
  await fixture.pass(1_000);
  const [{ id: delivery_id } = { id: '' }] = deliveries;
  await fixture.client().drivers.assign({ params: { driver_id: kim.driver.id }, body: { delivery_id } });
  await fixture.pass(1_000);
  const text = 'From 43 E Ohio St, Chicago, IL 60611 to 233 S Wacker Dr, Chicago, IL 60606';
  expect(sam.received.map(({ body }) => sam.open(body))).toEqual([
    { title: 'New stop', text },
    { title: 'No longer yours', text },
  ]);
  expect(sam.received.map(({ headers }) => headers.topic)).toEqual(['stop', 'gone']);
  expect(kim.received.map(({ body }) => kim.open(body))).toEqual([{ title: 'New stop', text }]);
});

test('a phone that is gone is forgotten, and a push service that fails is tried again', async () => {
  const fixture = await startFixture();
  const { received } = await subscribed(fixture, 'Sam', [503, 410]);
  await dispatchToFleet(fixture);
  await fixture.pass(1_000);
  expect([received.length, (await stored(fixture)).length]).toEqual([1, 1]);
  await fixture.pass(15_000);
  expect([received.length, (await stored(fixture)).length]).toEqual([2, 0]);
});

test('a phone that fails repeats no message to another, and one with a useless key is forgotten', async () => {
  const fixture = await startFixture();
  const { driver, received, subscription } = await subscribed(fixture);
  const failing = await pushService([503, 503]);
  const keys = { ...subscription.keys, p256dh: Buffer.alloc(65, 4).toString('base64url') };
  const useless = { endpoint: `${subscription.endpoint}/useless`, keys };
  for (const each of [failing.subscription, useless]) await push(fixture, driver, { subscription: each });
  expect(await stored(fixture)).toHaveLength(3);
  await dispatchToFleet(fixture);
  await fixture.pass(1_000);
  await fixture.pass(15_000);
  expect([received.length, failing.received.length]).toEqual([1, 2]);
  expect(await stored(fixture)).toHaveLength(2);
});

test('an address in the internal network is refused', async () => {
  const fixture = await startFixture({ parts: { loopback_webhooks: 'refused' } });
  const sam = await phone(fixture, 'Sam');
  const { subscription } = await pushService();
  for (const endpoint of [subscription.endpoint, 'https://169.254.169.254/latest', 'ftp://push.example/1']) {
    const { status, body } = await push(fixture, sam, { subscription: { ...subscription, endpoint } });
    expect([status, JSON.parse(body).param]).toEqual([400, 'subscription.endpoint']);
  }
  expect(await stored(fixture)).toEqual([]);
});

test('five phones of a driver are kept, those that subscribed last', async () => {
  const fixture = await startFixture();
  const [sam, kim] = [await phone(fixture, 'Sam'), await phone(fixture, 'Kim')];
  const { subscription } = await pushService();
  const subscribe = async (who: Phone, number: number) => {
    const endpoint = `${subscription.endpoint}${number}`;
    await push(fixture, who, { subscription: { ...subscription, endpoint } });
    await fixture.pass(1_000);
  };
  await subscribe(kim, 0);
  for (const number of [1, 2, 3, 4, 5, 1, 6]) await subscribe(sam, number);
  const times = (await stored(fixture)).map(({ created_at }) => created_at).sort();
  expect(times).toHaveLength(6);
  // The second is gone, as the first has subscribed again.
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(3_000);
});

test('a rotation encrypts the key of the service and the phones again', async () => {
  const fixture = await startFixture();
  expect(await fixture.storage.read(hasSecrets)).toBe(false);
  await subscribed(fixture);
  expect(await fixture.storage.read(hasSecrets)).toBe(true);
  const { sealing } = fixture.config;
  const other = createSealing(keysInMemory());
  const both = { ...other, open: sealing.open };
  for (const table of [sealedPushKeys, sealedPushes]) {
    const read = () => fixture.storage.run((db) => table.read(db, null, 10));
    const [row] = await read();
    const current = readKeyId(await other.seal('row', 'x'));
    const change = await row?.reseal(both, current);
    await fixture.storage.transaction(async (db) => change?.(db));
    const [after] = await read();
    expect(after?.stored.map(readKeyId)).toEqual([current]);
    expect(await fixture.storage.run((db) => table.read(db, row?.id ?? '', 10))).toEqual([]);
  }
});
