/** The requests of public programs for the platform behind this interface, in their order, against the built sandbox. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Fields, isFields } from '../../src/domain/fields.ts';
import { receiver } from '../cli/webhook-receiver.ts';
import { freshHome, serve } from './run.ts';

type Program = 'flower-shop' | 'woocommerce' | 'shopify' | 'python';

interface Step {
  step: number;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

const file = new URL('../cases/platform-programs/requests.json', import.meta.url);
const programs: Record<Program, Step[]> = JSON.parse(readFileSync(file, 'utf8'));

interface Got {
  status: number;
  /** What a program reads of the body, by its path such as `0.id`. */
  read: (path: string) => unknown;
  body: unknown;
  text: string;
}

/** A sandbox, and what sends requests to it. */
async function sandbox(...flags: string[]) {
  const { url, keys } = await serve(freshHome(), { flags: ['--sandbox', '--seed', '7', ...flags] });
  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const headers = { 'x-api-key': keys.test, 'content-type': 'application/json', ...more };
    const response = await fetch(url + path, {
      method,
      headers,
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const got: unknown = JSON.parse(text);
    return { status: response.status, body: got, text, read: (at: string) => valueAt(got, at) } satisfies Got;
  };
  /** A request of a program; `known` fills in the ids of earlier answers. */
  const replay = (program: Program, step: number, known: Record<string, unknown> = {}) => {
    const found = programs[program].find((each) => each.step === step);
    if (found === undefined) throw new Error(`${program} has no step ${step}`);
    const filled: Step = JSON.parse(
      JSON.stringify(found).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(known[name])),
    );
    return send(filled.method, filled.path, filled.body, filled.headers);
  };
  const pass = (seconds: number) => send('POST', '/v2/sandbox/clock/advance', { by: seconds });
  await send('POST', '/v2/sandbox/clock', { mode: 'manual' });
  return { url, keys, send, replay, pass };
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (isFields(at) || Array.isArray(at) ? Reflect.get(at, name) : undefined),
      value,
    );
}

test('the flower shop goes from its key check to a delivered parcel with a picture', async () => {
  const { url, send, replay, pass } = await sandbox('--dialect', 'burq');
  const bad = await fetch(`${url}/v2/orders?limit=1`, { headers: { 'x-api-key': 'none' } });
  expect(bad.status).toBe(401);
  expect((await replay('flower-shop', 1)).status).toBe(200);
  const webhooks = await receiver();
  const endpoint = await send('POST', '/v2/webhook_endpoints', {
    url: webhooks.url,
    events: ['delivery.updated'],
  });

  const created = await replay('flower-shop', 2);
  expect([created.status, created.read('test_mode'), created.read('latest_delivery')]).toEqual([
    201,
    true,
    null,
  ]);
  const order = created.read('id');
  const repeated = await replay('flower-shop', 2);
  expect([repeated.status, repeated.text]).toEqual([201, created.text]);

  const made = await replay('flower-shop', 3, { order });
  expect(made.status).toBe(200);
  const route = made.read('id');
  expect((await replay('flower-shop', 4, { route })).status).toBe(200);
  const listed: Got[] = [];
  for (let tries = 0; tries < 6 && listed.at(-1)?.read('status') !== 'COMPLETE'; tries += 1) {
    if (tries > 0) await pass(3);
    listed.push(await replay('flower-shop', 5, { route }));
  }
  const quotes = listed.at(-1);
  expect(quotes?.read('status')).toBe('COMPLETE');
  const all = quotes?.read('data');
  if (!Array.isArray(all)) throw new Error('no quotes');
  const uber = all.find((quote: Fields) => String(quote.provider).toLowerCase() === 'uber');
  expect(uber).toMatchObject({ provider: 'Uber', cost_of_delivery: expect.any(Number) });
  expect(uber.burq_fee).toBe(uber.service_fee);
  expect(uber.burq_fee).toBeGreaterThan(0);

  // Where it only compared prices, and where the order was only a draft.
  expect((await replay('flower-shop', 6, { route })).status).toBe(200);
  const draft = await send('POST', '/v2/orders', {
    ...Object(programs['flower-shop'][1]?.body),
    external_order_ref: 'draft',
  });
  expect((await replay('flower-shop', 7, { order: draft.read('id') })).status).toBe(200);
  const gone = await replay('flower-shop', 7, { order: draft.read('id') });
  expect([gone.status, gone.read('code')]).toEqual([409, 'order_not_open']);

  const again = (await replay('flower-shop', 3, { order })).read('id');
  await replay('flower-shop', 4, { route: again });
  await pass(15);
  const fresh = (await replay('flower-shop', 5, { route: again })).read('data');
  const chosen = Array.isArray(fresh) ? fresh.find(({ provider }: Fields) => provider === 'Uber') : null;
  expect((await replay('flower-shop', 8, { order })).read('latest_delivery')).toBeNull();
  expect((await send('POST', `/v2/routes/${again}/dispatch`, { quote_id: chosen.id })).status).toBe(200);
  await pass(2 * 60 * 60);
  const read = await replay('flower-shop', 8, { order });
  expect(read.status).toBe(200);
  expect(read.read('latest_delivery')).toMatchObject({
    status: 'delivered',
    courier: { name: expect.any(String), phone_number_for_customer: expect.any(String) },
    tracking_url: expect.stringContaining('/track/'),
    total_amount_due: chosen.cost_of_delivery + chosen.burq_fee,
    provider: 'Uber',
    proof_of_delivery_image_urls: [expect.stringContaining('photo')],
    signature_image_url: null,
  });
  expect((await replay('flower-shop', 8, { order: 'o_none' })).status).toBe(404);

  await expect.poll(() => webhooks.came.length).toBeGreaterThan(3);
  for (const { headers, body } of webhooks.came) {
    const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['burq-signature'])) ?? [];
    const expected = createHmac('sha256', String(endpoint.read('secret')))
      .update(`${t}.${body}`)
      .digest('hex');
    expect(v1).toBe(expected);
    expect(JSON.parse(body)).toMatchObject({
      object: 'event',
      type: 'delivery.updated',
      data: { service: 'uber' },
    });
  }
});

test('the script for version 1 ends, and takes the courier that it looks for', async () => {
  const { replay } = await sandbox('--dialect', 'burq');
  const quotes = await replay('python', 1);
  expect([200, 201]).toContain(quotes.status);
  const all = quotes.body;
  if (!Array.isArray(all)) throw new Error('no list');
  expect(all.find(({ service }) => service === 'uber')).toMatchObject({
    id: expect.any(String),
    fee: expect.any(Number),
  });
  const made = await replay('python', 2);
  expect([200, 201]).toContain(made.status);
  expect(made.read('id')).toEqual(expect.any(String));
});

test.each(['woocommerce', 'shopify'] as const)(
  'the plugin %s books with a quote, and more',
  async (program) => {
    const { replay, send } = await sandbox('--dialect', 'burq');
    const quotes = await replay(program, 1);
    expect(quotes.status).toBe(200);
    const booked = await replay(program, 2, { quote: quotes.read('0.id') });
    expect([booked.status, booked.read('message')]).toEqual([200, undefined]);
    const delivery = booked.read('id');
    expect(booked.read('quote_id')).toBe(quotes.read('0.id'));
    expect(booked.read('tracking_url')).toEqual(expect.stringMatching(/^http/));
    expect((await replay(program, 3, { delivery })).status).toBe(200);
    const read = await send('GET', `/v1/delivery/${delivery}`);
    expect(read.read('status')).toBe(program === 'woocommerce' ? 'customer_canceled' : 'request');
  },
);

/** What a program for the interface alone sends, with what it reads of each answer. */
async function ownProgram(flags: string[]) {
  const { send, pass } = await sandbox(...flags);
  const order = {
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: 'Ohio Street Grill',
    pickup_phone_number: '+13125550100',
    dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
    dropoff_name: 'Diner',
    dropoff_phone_number: '+13125550142',
    items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
    external_order_ref: '1042',
  };
  const answers: Got[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const got = await send(method, path, body);
    answers.push(got);
    return got;
  };
  const stored = await call('POST', '/v1/delivery_information', { ...order, initiate: false });
  await call('GET', `/v1/delivery/${stored.read('id')}`);
  await call('GET', '/v1/deliveries');
  const made = await call('POST', '/orders/create', { orders: [order] });
  const route = (await call('POST', '/v2/routes', { order_ids: [made.read('id')] })).read('id');
  await call('POST', `/v2/routes/${route}/quotes`);
  await call('GET', `/v2/routes/${route}/quotes`);
  await pass(60);
  const quotes = await call('GET', `/v2/routes/${route}/quotes`);
  await call('POST', `/v2/routes/${route}/dispatch`, { quote_id: quotes.read('data.0.id') });
  await pass(60 * 60);
  await call('GET', '/v1/deliveries');
  const batch = { orders: [order, order], settings: { mechanism: 'auto', quote_preference: 'cheapest' } };
  await call('POST', '/orders/create', batch);
  await call('GET', '/v2/routes/rte_none/quotes');
  return answers;
}

/** An answer without what differs from run to run, and without the names of couriers there. */
function comparable({ status, text }: Got): unknown {
  const named = text
    .replaceAll(/"(Uber|uber)"/g, '"swiftly"')
    .replaceAll(/"grubhub"/g, '"poolride"')
    .replaceAll(/"senpex"/g, '"metrobike"')
    .replaceAll(/\b(acct|ord|bat|rte|job|rq|quo|dlv|req|dsp)_\w+/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/http:[^"]*/g, 'url');
  return { status, body: JSON.parse(named) };
}

test('a program for the interface alone sees equal answers with the dialect, but for what it adds', async () => {
  const [plain, dialect] = [await ownProgram([]), await ownProgram(['--dialect', 'burq'])];
  const added: string[] = [];
  const withoutAdded = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutAdded);
    if (!isFields(value)) return value;
    const kept = Object.entries(value).filter(([name]) => name !== 'burq_fee');
    if (kept.length < Object.keys(value).length) added.push(String(value.object));
    return Object.fromEntries(kept.map(([name, inner]) => [name, withoutAdded(inner)]));
  };
  expect(plain.map(({ text }) => text).join()).not.toContain('burq_fee');
  expect(dialect.map(comparable).map(withoutAdded)).toEqual(plain.map(comparable));
  expect([...new Set(added)]).toEqual(['route_quote']);
  expect(dialect.map(({ status }) => status)).not.toContain(201);
});
