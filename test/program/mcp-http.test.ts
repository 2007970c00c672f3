import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { orderRequest } from '../service/fixture.ts';
import { callerOf, connected, connectedOver } from './mcp-client.ts';
import { freshHome, inProcess, type Served, serve, sharedService } from './run.ts';

const plain = sharedService('--mcp', '--public-url', 'https://shop.example.com/deliveries');

/** A tool, its arguments, and what differs between two calls of it. */
type Call = readonly [name: string, args?: Record<string, unknown>];

const { pickup_address, items } = orderRequest();

const calls: readonly Call[] = [
  ['get_account'],
  ['find_deliveries'],
  ['find_deliveries', { status: ['nonsense'] }],
  ['find_deliveries', { nonsense: 1 }],
  ['list_late_deliveries', { limit: 5 }],
  ['get_delivery', { delivery: 'dlv_none' }],
  ['get_delivery'],
  ['quote_delivery', { pickup_address, dropoff_address: 'nowhere', items }],
  ['ship_delivery', orderRequest({ dropoff_phone_number: '12' })],
  ['ship_delivery', { ...orderRequest({ dropoff_phone_number: '12' }), max_cost: 100 }],
  ['ship_delivery', { ...orderRequest(), max_cost: 1 }],
  ['explain_delivery', { delivery: 'A-404' }],
  ['wait_for_delivery', { delivery: 'A-404', timeout_seconds: 1 }],
  ['preview_cancellation', { delivery: 'A-404' }],
  ['cancel_delivery', { delivery: 'A-404', agreed_fee: 0 }],
  ['list_problems'],
  ['list_problems', { since: 'nonsense' }],
  ['list_orders', { status: ['open'], limit: 3 }],
  ['get_order', { order: 'A-404' }],
  ['list_stores'],
  ['dispatch_order', { order: 'A-404', max_cost: 100 }],
  ['retry_delivery', { delivery: 'A-404', max_cost: 100 }],
  ['ship_orders', { shipments: [] }],
  ['ship_orders', { shipments: [{ ...orderRequest(), max_cost: 1 }] }],
  ['ship_orders', { shipments: [{ ...orderRequest(), max_cost: 1, nonsense: 2 }] }],
  ['advance_sandbox', { by_seconds: 60 }],
  ['advance_sandbox'],
  ['pause_store', { store: 'none' }],
  ['resume_store', { store: 'none' }],
  ['reschedule_order', { delivery: 'A-404', dropoff_at: 'tomorrow 18:00' }],
];

test('over HTTP there are the same tools, with the same answers, as on stdin and stdout', async () => {
  const served = await plain();
  const env = { WAYBILL_BASE_URL: served.url, WAYBILL_API_KEY: served.keys.test };
  const clients = [
    await connected(freshHome(env)),
    await connectedOver(served.url, served.keys.test),
  ] as const;
  const [stdio, http] = await Promise.all(clients.map(async (client) => (await client.listTools()).tools));
  expect(http).toEqual(stdio);
  expect(clients[1].getInstructions()).toBe(clients[0].getInstructions());
  expect(calls.map(([name]) => name)).toEqual(expect.arrayContaining(stdio?.map(({ name }) => name) ?? []));
  const [local, remote] = clients.map(callerOf);
  for (const [name, args] of calls) {
    const answers = [await local?.(name, args), await remote?.(name, args)];
    const [first, second] = answers.map((answer) => JSON.stringify(answer).replace(changing, '...'));
    expect(second, `${name} ${JSON.stringify(args)}`).toBe(first);
  }
});

/** Times and ids, which differ between two calls. */
const changing = /\d{4}-\d\d-\d\dT[\d:.]+Z|(ord|dlv|rte|req)_[0-9A-Z]+/g;

const message = (method: string, params: object = {}, id: number | null = 1) =>
  JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params });
const account = message('tools/call', { name: 'get_account', arguments: {} });
const both = 'application/json, text/event-stream';

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  key?: 'test' | 'live' | 'none' | 'wrong';
  body?: string;
}

const requests: readonly [what: string, asked: Asked, status: number, text: string | RegExp][] = [
  ['a call', { body: account }, 200, '"mode":"test"'],
  ['a batch', { body: `[${account},${message('ping', {}, 2)}]` }, 200, '"mode":"test"'],
  ['a ping', { body: message('ping') }, 200, '"result":{}'],
  ['a notification', { body: message('notifications/initialized', {}, null) }, 202, ''],
  ['a cancellation', { body: message('notifications/cancelled', { requestId: 7 }, null) }, 202, ''],
  ['an unknown tool', { body: message('tools/call', { name: 'none', arguments: {} }) }, 200, '-32602'],
  ['an unknown method', { body: message('none/none') }, 200, '-32601'],
  [
    'another version to begin with',
    {
      body: message('initialize', {
        protocolVersion: '2099-01-01',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
    },
    200,
    /"protocolVersion":"20\d\d-/,
  ],
  [
    'an unknown version',
    { body: account, headers: { 'mcp-protocol-version': '1999-01-01' } },
    400,
    'Unsupported protocol version',
  ],
  ['only JSON accepted', { body: account, headers: { accept: 'application/json' } }, 406, 'must accept both'],
  ['no JSON', { body: account, headers: { 'content-type': 'text/plain' } }, 415, 'application/json'],
  ['broken JSON', { body: '{' }, 400, '-32700'],
  ['nothing', { body: '' }, 400, '-32700'],
  ['too much', { body: `"${'x'.repeat(1_100_000)}"` }, 413, 'payload_too_large'],
  ['GET', { method: 'GET' }, 405, 'not allowed'],
  ['DELETE', { method: 'DELETE' }, 405, 'not allowed'],
  ['no key', { body: account, key: 'none' }, 401, 'Authorization: Bearer KEY'],
  ['a wrong key', { body: account, key: 'wrong' }, 401, 'unknown or revoked'],
  ['a live key', { body: account, key: 'live' }, 403, 'has not allowed'],
  [
    'a page of another site',
    { body: account, headers: { origin: 'https://evil.example' } },
    403,
    'Invalid Origin',
  ],
  ['a page without a site', { body: account, headers: { origin: 'null' } }, 403, 'Origin'],
  [
    'a page of its own',
    { body: account, headers: { origin: 'http://localhost:3000' } },
    200,
    '"mode":"test"',
  ],
];

test('a request over HTTP is read as the protocol says, with its key, and refused with a reason', async () => {
  const served = await plain();
  const keys = { ...served.keys, wrong: 'wb_test_nonsense', none: null };
  for (const [what, { method = 'POST', headers = {}, key = 'test', body }, status, text] of requests) {
    const bearer = keys[key];
    const response = await fetch(`${served.url}/mcp`, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: both,
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const answered = await response.text();
    expect({ what, status: response.status, answered }).toEqual({
      what,
      status,
      answered: typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text),
    });
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer realm="waybill"' : null);
    expect(response.headers.get('mcp-session-id')).toBeNull();
  }
});

/** Sends a call with any Host header. */
async function callAs(served: Served, host: string) {
  const sent = request(`${served.url}/mcp`, {
    method: 'POST',
    headers: {
      host,
      'content-type': 'application/json',
      accept: both,
      authorization: `Bearer ${served.keys.test}`,
    },
  });
  sent.end(account);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, text: await text(response) };
}

test('a name that was pointed here is refused, and those of the service are not', async () => {
  const served = await plain();
  const table: readonly [host: string, status: number][] = [
    ['127.0.0.1:4010', 200],
    ['localhost', 200],
    ['[::1]:80', 200],
    ['192.168.1.20:4010', 200],
    ['shop.example.com', 200],
    ['evil.example', 403],
    ['shop.example.com.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
  ];
  const seen = [];
  for (const [host] of table) seen.push([host, (await callAs(served, host)).status]);
  expect(seen).toEqual(table);
});

test('a key reaches its own account, with its permission, its limits and an entry in its audit', async () => {
  const home = freshHome();
  const database = `${home.folder}/served.db`;
  const served = await serve(home, { database, flags: ['--mcp', '--rate-limit', '6'] });
  const other = await inProcess(
    home,
    'admin',
    'accounts',
    'create',
    '--name',
    'Other',
    '--database',
    database,
    '--json',
  );
  const made: { key: string; mode: string }[] = JSON.parse(other.stdout).keys;
  const keys = { test: made.find(({ mode }) => mode === 'test')?.key ?? '', live: '' };
  const own = callerOf(await connectedOver(served.url, served.keys.test));
  const shop = { name: 'Grill', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550101' };
  const post = (path: string, body: object) =>
    fetch(served.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': served.keys.test },
      body: JSON.stringify(body),
    });
  await post('/v2/stores', shop);
  const reader: { key: string } = JSON.parse(
    await (await post('/v2/api_keys', { permission: 'read', name: 'Assistant' })).text(),
  );
  await own('pause_store', { store: 'Grill' });
  const audit = await fetch(`${served.url}/v2/audit`, { headers: { 'x-api-key': served.keys.test } });
  expect(JSON.stringify(await audit.json())).toContain('"address":"127.0.0.1"');

  const foreign = callerOf(await connectedOver(served.url, keys.test));
  expect(await foreign('get_account')).toMatchObject({ name: 'Other' });
  expect(await foreign('resume_store', { store: 'Grill' })).toMatchObject({
    error: { code: 'record_not_found' },
  });
  const reads = await connectedOver(served.url, reader.key);
  const { tools } = await reads.listTools();
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);

  // Each second allows six more, so that a busy machine needs many that cost little before those that are looked at.
  const headers = { 'x-api-key': keys.test };
  const before = Array.from({ length: 300 }, () => fetch(`${served.url}/v2/account`, { headers }));
  const many = Array.from({ length: 60 }, () => callAs({ ...served, keys }, 'localhost'));
  const refused = (await Promise.all(many)).filter(({ status }) => status === 429);
  expect(refused.map(({ text: answered }) => answered).join()).toContain('"rate_limited"');
  await Promise.all(before);
});

test('a live key is let in with a maximum, above which nothing is shipped', async () => {
  const home = freshHome();
  for (const [flags, needed] of [
    [['--mcp', '--mcp-live'], '--mcp-live needs --mcp-max-cost.'],
    [['--mcp-live', '--mcp-max-cost', '9'], 'need --mcp.'],
    [['--mcp', '--mcp-max-cost', '9'], '--mcp-max-cost needs --mcp-live.'],
  ] as const) {
    const refused = await inProcess(
      home,
      'serve',
      '--port',
      '0',
      '--database',
      `${home.folder}/no.db`,
      ...flags,
    );
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining(needed)]);
  }
  const served = await serve(freshHome(), { flags: ['--mcp', '--mcp-live', '--mcp-max-cost', '9'] });
  const call = callerOf(await connectedOver(served.url, served.keys.live));
  expect(await call('get_account')).toMatchObject({ mode: 'live' });
  const refused = await call('ship_delivery', { ...orderRequest(), max_cost: 901 });
  expect(refused.error).toMatchObject({ code: 'above_max_cost', param: 'max_cost' });
  const listed = await fetch(`${served.url}/v2/orders`, { headers: { 'x-api-key': served.keys.live } });
  expect(await listed.json()).toMatchObject({ data: [] });
});
