import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { defaultMailRules, type MailRules } from '../../../src/domain/operator-settings.ts';
import { type Mail, MailFault } from '../../../src/service/runtime/mailer.ts';
import { createService } from '../../../src/service/service.ts';
import { after, newBatch } from '../auto-dispatch/batches.ts';
import { again, scenarioHeader, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone } from '../fleet/fleet.ts';

const email = 'dana@mail.example';
const order: Partial<OrderRequest> = { dropoff_email: email, external_order_ref: '1042' };

/** An operator who lets test mode send to the recipient, and accounts choose the sender. */
const permitted = { ...defaultMailRules, test_recipients: ['@Mail.example'], trusts_accounts: true };

interface Notified extends Fixture {
  sent: Mail[];
}

/** A service that sends notices of test mode; `send` decides what becomes of each. */
async function notified(
  notices: object | null = { language: 'en' },
  send: (mail: Mail) => Promise<void> = async () => {},
  rules: Partial<MailRules> = {},
): Promise<Notified> {
  const sent: Mail[] = [];
  const sendMail = async (mail: Mail) => {
    sent.push(mail);
    await send(mail);
  };
  const fixture = await startFixture({ parts: { sendMail, mail_rules: { ...permitted, ...rules } } });
  if (notices !== null) await change(fixture, notices);
  return { ...fixture, sent };
}

async function change(fixture: Fixture, notices: object | null) {
  return fixture.send('PATCH', '/v2/account', { body: { notices } });
}

/** Passes three hours, as the loop of a service does. */
async function runToEnd(fixture: Fixture, client: Client, delivery: Delivery): Promise<Delivery> {
  for (let minute = 0; minute < 180; minute += 2) await fixture.pass(120_000);
  return again(client, delivery);
}

const announced = 'Your order from Pizza & Friends is on its way to a courier';
const usual = [
  announced,
  'Your order from Pizza & Friends is close by',
  'Your order from Pizza & Friends has been delivered',
];

const subjects = ({ sent }: Notified) => sent.map(({ subject }) => subject);

test('a delivery is announced, close by, and delivered: each notice once', async () => {
  const fixture = await notified();
  const client = fixture.client();
  const started = await startedDelivery(client, 'happy_path', order);
  expect(fixture.sent).toEqual([]);
  const { tracking_url } = await runToEnd(fixture, client, started);
  await fixture.pass(60_000);
  expect(subjects(fixture)).toEqual(usual);
  for (const { to, text, from_name } of fixture.sent) {
    expect([to, from_name]).toEqual([email, 'Pizza & Friends']);
    expect(text).toContain(tracking_url);
    expect(text).toContain('Hello Dana Whitfield,\n\nyour order 1042 from Pizza & Friends');
  }
  expect(new Set(fixture.sent.map(({ id }) => id)).size).toBe(3);
  expect(fixture.faults).toEqual([]);
});

test('an own driver is close by on the way to the recipient, where only the ZIP code is known', async () => {
  const fixture = await notified();
  const ana = await phone(fixture, 'Ana');
  const { deliveries } = await dispatchToFleet(fixture, {
    requests: [orderRequest(order)],
    driver_id: ana.id,
  });
  const delivery_ids = deliveries.map(({ id }) => id);
  await ana.tap({ kind: 'pick_up', delivery_ids });
  await fixture.pass(30 * 60_000);
  expect(subjects(fixture)).toEqual([announced]);
  expect(fixture.sent[0]?.text).toMatch(/Estimated arrival: .*:[0-5][05] .* to .*:[0-5][05] /);
  await ana.tap({ kind: 'start_dropoff', delivery_ids });
  await fixture.pass(60 * 60_000);
  expect(subjects(fixture)).toEqual(usual.slice(0, 2));
});

test('a failed delivery says so', async () => {
  const fixture = await notified();
  const client = fixture.client();
  const ended = await runToEnd(fixture, client, await startedDelivery(client, 'customer_unreachable', order));
  expect(ended.status_history.length).toBeGreaterThan(3);
  expect(subjects(fixture).at(-1)).toBe('Your order from Pizza & Friends could not be delivered');
  expect(subjects(fixture).filter((subject) => subject.includes('could not'))).toHaveLength(1);
});

/** Fleet offers run out after 90 seconds: the recipient knows of the first attempt before it fails. */
async function failingFirst(retry_window: number) {
  const fixture = await notified();
  const client = fixture.client();
  await phone(fixture, 'Sam Lee');
  const settings = { ...{ retry_window, retry_interval: 600 }, quote_preference: 'preferred' } as const;
  const id = await newBatch(client, [order], { ...settings, providers: ['fleet', 'swiftly'] });
  await after(fixture, id, 200);
  const [failed] = (await client.deliveries.list({})).data.data;
  expect(failed).toMatchObject({ status: 'failed', service: 'fleet' });
  return { fixture, client, failed };
}

test('a failure that auto dispatch answers with another courier is not reported, and that one not announced', async () => {
  const { fixture, client } = await failingFirst(3600);
  for (let minute = 0; minute < 180; minute += 2) await fixture.pass(120_000);
  expect((await client.deliveries.list({})).data.data.map(({ status }) => status)).toEqual([
    'delivered',
    'failed',
  ]);
  expect(subjects(fixture)).toEqual(usual);
});

test('a failure is reported once no attempt follows, also if the last one finds no courier', async () => {
  const { fixture, client } = await failingFirst(600);
  await client.sandbox.updateProvider({ params: { name: 'swiftly' }, body: { state: 'down' } });
  await fixture.pass(399_000);
  expect(subjects(fixture)).toEqual([announced]);
  for (let minute = 0; minute < 60; minute += 1) await fixture.pass(60_000);
  expect((await client.deliveries.list({})).data.data).toHaveLength(1);
  expect(subjects(fixture).slice(1)).toEqual(['Your order from Pizza & Friends could not be delivered']);
});

test('nothing is sent without an address, without the setting, or once it is off', async () => {
  const fixture = await notified();
  const client = fixture.client();
  await runToEnd(fixture, client, await startedDelivery(client, 'happy_path'));
  await change(fixture, null);
  await runToEnd(fixture, client, await startedDelivery(client, 'happy_path', order));
  await change(fixture, { language: 'en' });
  const last = await startedDelivery(client, 'happy_path', order);
  await change(fixture, null);
  await runToEnd(fixture, client, last);
  expect(fixture.sent).toEqual([]);
});

test('a dispatch that is canceled at once is not announced', async () => {
  const fixture = await notified();
  const client = fixture.client();
  const { id } = await startedDelivery(client, 'happy_path', order);
  await client.deliveries.cancel({ params: { deliveryid: id }, body: {} });
  await fixture.pass(60 * 60_000);
  expect(fixture.sent).toEqual([]);
});

test('a delivery that fails as it is initiated is not reported, however long it was stored', async () => {
  const fixture = await notified();
  const client = fixture.client();
  const headers = scenarioHeader('no_capacity');
  const { id } = (await client.deliveries.create({ body: orderRequest(order), headers })).data;
  await fixture.pass(60 * 60_000);
  const { data } = await client.deliveries.initiate({ params: { deliveryid: id }, body: {} });
  expect(data).toMatchObject({ status: 'failed', failure_reason: 'provider_refused' });
  await fixture.pass(60 * 60_000);
  expect(subjects(fixture)).toEqual([]);
});

test('texts of the shop replace those of the language; the others are Spanish', async () => {
  const templates = { delivered: { subject: '{shop}: {name}, {other}', text: 'Ref {reference}. {link}' } };
  const fixture = await notified({
    language: 'es',
    from_name: 'La Tienda',
    reply_to: 'hola@tienda.example',
    templates,
  });
  const client = fixture.client();
  const started = await startedDelivery(client, 'happy_path', { ...order, external_order_ref: '' });
  const { tracking_url } = await runToEnd(fixture, client, started);
  expect(fixture.sent[0]).toMatchObject({ from_name: 'La Tienda', reply_to: 'hola@tienda.example' });
  expect(fixture.sent[0]?.text).toMatch(/su pedido de La Tienda se va a entregar\. Llegada estimada: .*CST/);
  expect(fixture.sent.at(-1)).toMatchObject({
    subject: 'La Tienda: Dana Whitfield, {other}',
    text: `Ref. ${tracking_url}`,
  });
});

test('a server that fails is asked again later, with the same message; the delivery goes on', async () => {
  let left = 3;
  const fixture = await notified({ language: 'en' }, async () => {
    if (--left > 0) throw new MailFault('the SMTP server cannot be used: ESOCKET', { is_final: false });
  });
  const client = fixture.client();
  const started = await startedDelivery(client, 'happy_path', order);
  await fixture.pass(31_000);
  expect(fixture.sent).toHaveLength(1);
  await fixture.pass(31_000);
  await fixture.pass(121_000);
  expect(subjects(fixture)).toEqual(Array(3).fill(announced));
  expect(new Set(fixture.sent.map(({ id }) => id)).size).toBe(1);
  expect((await again(client, started)).status).not.toBe('failed');
  expect(String(fixture.faults)).not.toContain(email);
});

test('a notice that is refused for good is tried once and kept as a failed task without personal data', async () => {
  const fixture = await notified({ language: 'en' }, async () => {
    throw new MailFault('the SMTP server answered 550 to RCPT TO', { is_final: true });
  });
  await startedDelivery(fixture.client(), 'happy_path', order);
  await fixture.pass(31_000);
  await fixture.pass(120_000);
  expect(fixture.sent).toHaveLength(1);
  const failed = await fixture.storage.run((db) => db.selectFrom('failed_tasks').selectAll().execute());
  expect(failed).toMatchObject([{ kind: 'notice.send', error: 'the SMTP server answered 550 to RCPT TO' }]);
  expect(JSON.stringify(failed)).not.toMatch(/dana/i);
});

test('a notice that is due while no process runs is sent by the next one', async () => {
  const fixture = await notified();
  await startedDelivery(fixture.client(), 'happy_path', order);
  await fixture.service.stop();
  const next = createService(fixture.config);
  await fixture.pass(31_000, next.tick);
  expect(fixture.sent).toHaveLength(1);
  await next.stop();
});

test('the setting needs a mail server in live mode', async () => {
  const fixture = await startFixture();
  const headers = { 'x-api-key': fixture.keys.live };
  const body = { notices: { language: 'en' } };
  const answer = await fixture.send('PATCH', '/v2/account', { body, headers });
  expect([answer.status, JSON.parse(answer.body).param]).toEqual([400, 'notices']);
  expect(answer.body).toContain('needs a mail server');
  expect((await change(fixture, { language: 'en' })).status).toBe(200);
});

test.each([
  ['another address', { test_recipients: ['sam@mail.example', '@example'] }],
  ['no address', { test_recipients: [] }],
])('with %s permitted, test mode shows its notices as events and sends none', async (_, rules) => {
  const fixture = await notified({ language: 'en' }, async () => {}, rules);
  const client = fixture.client();
  const { id, tracking_url } = await startedDelivery(client, 'happy_path', order);
  await fixture.pass(31_000);
  const { data } = (await client.events.list({ query: { type: 'notice.simulated' } })).data;
  expect(data).toMatchObject([
    {
      sequence: null,
      data: {
        ...{ object: 'notice', delivery_id: id, kind: 'dispatched', to: email, reply_to: null },
        ...{ from_name: 'Pizza & Friends', text: expect.stringContaining(tracking_url) },
        subject: announced,
      },
    },
  ]);
  expect(fixture.sent).toEqual([]);
  expect(fixture.faults).toEqual([]);
});

test("the sender's name and the address for replies are the operator's, unless it trusts its accounts", async () => {
  const rules = { trusts_accounts: false, from_name: 'Deliveries Inc.', reply_to: 'help@operator.example' };
  const fixture = await notified({ language: 'en' }, async () => {}, rules);
  for (const own of [{ from_name: 'Your bank' }, { reply_to: 'me@mail.example' }]) {
    const answer = await change(fixture, { language: 'en', ...own });
    expect([answer.status, JSON.parse(answer.body).param]).toEqual([400, `notices.${Object.keys(own)[0]}`]);
  }
  await startedDelivery(fixture.client(), 'happy_path', { ...order, pickup_name: 'Your bank' });
  await fixture.pass(31_000);
  expect(fixture.sent).toMatchObject([{ from_name: rules.from_name, reply_to: rules.reply_to }]);
});

test('notices that are sent at once stay below the limit, too', async () => {
  const fixture = await notified({ language: 'en' }, async () => {}, { per_day: 2 });
  const client = fixture.client();
  for (let count = 0; count < 4; count += 1) await startedDelivery(client, 'slow_assignment', order);
  await fixture.pass(31_000);
  expect(fixture.sent).toHaveLength(2);
});

test('an account and mode has a limit of notices a day', async () => {
  const fixture = await notified({ language: 'en' }, async () => {}, { per_day: 2 });
  const client = fixture.client();
  const sentAfter = async () => {
    await startedDelivery(client, 'slow_assignment', order);
    await fixture.pass(31_000);
    return fixture.sent.length;
  };
  expect([await sentAfter(), await sentAfter(), await sentAfter()]).toEqual([1, 2, 2]);
  const failed = await fixture.storage.run((db) => db.selectFrom('failed_tasks').selectAll().execute());
  const error = expect.stringMatching(/^the account has sent 2 notices on \S+, its limit$/);
  expect(failed).toMatchObject([{ kind: 'notice.send', error }]);
  fixture.passWall(24 * 60 * 60_000);
  expect(await sentAfter()).toBe(3);
});
