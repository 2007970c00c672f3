import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { certificate } from '../../../fakes/smtp/certificate.ts';
import { listenLocally } from '../../../local-server.ts';
import { errorOf, failureOf, freshHome, waybill } from '../../harness.ts';
import { orderLine, quotedRoute, sandbox } from '../../sandbox.ts';
import { receiver } from '../../webhook-receiver.ts';
import { running } from './listeners.ts';

const live = { now: () => Date.now() };

async function secretOf(home: string): Promise<string> {
  return (await waybill(['listen', '--print-secret'], { home })).stdout.trim();
}

test('each event arrives as a webhook that the published library accepts, those of a delivery in order', async () => {
  const box = await sandbox();
  const server = await receiver();
  const listener = await running(
    box.run,
    ['listen', '--forward-to', `${server.url}/hooks?a=1`, '--signature-header', 'Burq-Signature', '--json'],
    live,
  );
  const route = await quotedRoute(box);
  await box.json(['dispatch', route, '--cheapest', '--yes']);
  await box.json(['sandbox', 'advance', '--drain']);
  const lines = await listener.printed('forwarded', 8);
  const { exit, stderr } = await listener.stop();
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const { secret } = JSON.parse((await box.run(['listen', '--print-secret', '--json'])).stdout);
  const events = server.came.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
  expect(events).toEqual(expect.arrayContaining(lines.map(({ event }) => event)));
  const [first] = server.came;
  const by = ['--signature-header', 'Burq-Signature', '--signature', first?.headers['burq-signature'] ?? ''];
  const env = { WAYBILL_WEBHOOK_SECRET: secret };
  const checked = await waybill(['webhooks', 'verify', '-', ...by], { stdin: first?.body ?? '', env });
  expect(checked.stdout).toMatch(/^valid\ttrue\n/);
  const numbers = events.map((event) => Object(event).sequence).filter((sequence) => sequence !== null);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeGreaterThan(4);
  expect(new Set(server.came.map(({ path }) => path))).toEqual(new Set(['/hooks?a=1']));
  expect(lines[0]).toMatchObject({
    ...{ type: 'forwarded', url: `${server.url}/hooks?a=1`, status_code: 200, attempt: 1 },
    event: { object: 'event', test_mode: true },
  });
});

test('the ready line has the destination and the types, and others are not forwarded', async () => {
  const box = await sandbox();
  const server = await receiver();
  const flags = ['--forward-to', server.url, '--events', 'order.*,batch.completed'];
  const listener = await running(box.run, ['listen', ...flags, '--json', '--print-secret'], live);
  expect(listener.lines()[0]).toMatchObject({
    ...{ type: 'ready', mode: 'test', forward_to: `${server.url}/`, sink: null },
    events: expect.arrayContaining(['order.failed', 'batch.completed']),
    secret: expect.stringMatching(/^whsec_/),
  });
  await box.json([...orderLine, '--auto', '--simulate', 'payment_declined']);
  await box.json(['sandbox', 'advance', '--drain']);
  const all = JSON.parse((await box.run(['events', 'list', '--all', '--json'])).stdout);
  const types = all.map(({ type }: { type: string }) => type);
  const asked = types.filter((type: string) => /^order|^batch/.test(type));
  expect(asked).toContain('order.failed');
  expect(types.length).toBeGreaterThan(asked.length);
  await listener.printed('forwarded', asked.length);
  await listener.stop();
  const sent = server.came.map(({ body }) => JSON.parse(body).type);
  expect(sent.toSorted()).toEqual(asked.toSorted());
});

test('the built-in sink responds by its script, and each attempt is shown', async () => {
  const box = await sandbox();
  const listener = await running(box.run, ['listen', '--sink', '500,200', '--since', '1h', '--json'], live);
  await quotedRoute(box);
  await box.json(['sandbox', 'advance', '--drain']);
  const [failed] = await listener.printed('failed');
  expect(failed).toMatchObject({ status_code: 500, retry_in_ms: 5_000, reason: 'it answered 500' });
  const [arrived] = await listener.printed('arrived');
  expect(arrived).toMatchObject({ number: 1, answer: '500', event_type: 'route_quotes.completed' });
  const { stderr } = await listener.stop();
  expect(stderr).toMatch(/1 event is not delivered yet.*waybill listen --sink 500,200 --since 2026-03-02T/);
});

test('on the embedded service it also sends to endpoints and runs due work', async () => {
  const home = freshHome();
  const [server, endpoint] = [await receiver(), await receiver()];
  const run = (argv: readonly string[], options = {}) => waybill(argv, { home, ...options });
  const json = async (argv: readonly string[]) => JSON.parse((await run([...argv, '--json'])).stdout);
  await run(['sandbox', 'clock', 'scaled', '--rate', '100']);
  const { secret } = await json(['webhooks', 'create', `${endpoint.url}/hooks`]);
  const listener = await running(run, ['listen', '--forward-to', server.url, '--json']);
  const { id } = await json(['routes', 'create', (await json(orderLine)).id]);
  await run(['routes', 'quote', id]);
  const [forwarded] = await listener.printed('forwarded');
  await expect.poll(() => endpoint.came.length).toBe(1);
  expect((await listener.stop()).exit).toBe(0);
  expect(forwarded).toMatchObject({ event: { type: 'route_quotes.completed' } });
  expect(endpoint.came[0]?.body).toBe(server.came[0]?.body);
  const { headers = {}, body = '' } = endpoint.came[0] ?? {};
  expect(Object.keys(headers).sort()).toEqual(Object.keys(server.came[0]?.headers ?? {}).sort());
  new Webhook(secret).verify(body, headers);
});

test('the secret is created once, stored privately with the profile, and printed nowhere else', async () => {
  const home = freshHome();
  const secret = await secretOf(home);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await secretOf(home)).toBe(secret);
  const file = join(home, '.config', 'waybill', 'profiles.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain(secret);
  for (const line of [
    ['profiles', 'list', '--json'],
    ['whoami', '--json'],
  ])
    expect((await waybill(line, { home })).stdout).not.toContain(secret);
  await waybill(['orders', 'list'], { home });
  expect(await secretOf(home)).toBe(secret);
});

test('without a profile the secret derives from the key, and without a key there is none', async () => {
  const line = ['listen', '--print-secret', '--base-url', 'http://127.0.0.1:1', '--json'];
  const secret = async (key: string) =>
    JSON.parse((await waybill(line, { env: { WAYBILL_API_KEY: key } })).stdout).secret;
  expect(await secret('wb_test_one')).toBe(await secret('wb_test_one'));
  expect(await secret('wb_test_one')).not.toBe(await secret('wb_test_two'));
  expect(await failureOf(waybill(line))).toMatchObject({ exit: 4, code: 'no_api_key' });
});

test.each([
  [[], 'missing_input', /--forward-to or --sink or --print-secret/],
  [['--forward-to', 'ftp://x'], 'bad_value', /--forward-to must be a URL/],
  [['--sink', '500x3,often'], 'bad_value', /--sink cannot be read: step 2 of the script, "often"/],
  [['--sink', '200', '--forward-to', '3000'], 'bad_value', /--sink replaces --forward-to/],
  [['--forward-to', '3000', '--events', 'order.lost'], 'bad_value', /--events must be one of/],
])('%j is refused', async (flags, code, message) => {
  const { exit, stdout, stderr } = await waybill(['listen', ...flags, '--json']);
  expect({ exit, stdout, code: errorOf(stderr).code }).toEqual({ exit: 2, stdout: '', code });
  expect(errorOf(stderr).message).toMatch(message);
});

test('events that became due before the start are forwarded as well', async () => {
  const box = await sandbox();
  await quotedRoute(box);
  const listener = await running(box.run, ['listen', '--sink', '200', '--json'], live);
  const [forwarded] = await listener.printed('forwarded');
  expect(forwarded).toMatchObject({ event: { type: 'route_quotes.completed' } });
  await listener.stop();
});

test.each([
  [['listen', '--sink', '200'], 'event.ide,reason,event.data.status'],
  [['events', 'tail'], 'event.ide'],
])('%j: a field of no line is refused before anything is done', async (line, fields) => {
  const { exit, stdout, stderr } = await waybill([...line, `--json=${fields}`]);
  expect([exit, stdout, errorOf(stderr).code]).toEqual([2, '', 'unknown_field']);
  expect(errorOf(stderr).message).toContain('"event.ide"');
  expect(errorOf(stderr).message).not.toContain('reason');
});

test('a field that only some lines have can be selected, even if none of them comes', async () => {
  const box = await sandbox();
  const listener = await running(box.run, ['listen', '--sink', '200', '--json=event.id,reason'], live);
  expect(await listener.stop()).toMatchObject({ exit: 0, stderr: '' });
});

test('--debug shows requests and responses, phone numbers masked', async () => {
  const box = await sandbox();
  const line = ['listen', '--sink', '429:7', '--events', 'order.dispatched', '--debug'];
  const listener = await running(box.run, line, live);
  const route = await quotedRoute(box);
  await box.json(['dispatch', route, '--cheapest', '--yes']);
  await expect.poll(listener.shown).toContain('failed');
  const { stdout, stderr } = await listener.stop();
  expect(stderr).toMatch(/^> POST http:\/\/127\.0\.0\.1:\d+\/$/m);
  expect(stderr).toMatch(/^> webhook-id: evt_/m);
  expect(stderr).toMatch(/^< 429\n< .*retry-after: 7/ms);
  expect(stderr).not.toContain('+13125550142');
  const cells = stdout.split('\n').find((text) => text.startsWith('failed'));
  expect(cells?.split('\t').at(-1)).toBe('it answered 429');
});

/** A server with a self-signed certificate. */
async function secureServer(): Promise<{ url: string; arrived: () => number }> {
  let count = 0;
  const server = createServer(certificate, (request, response) => {
    count += 1;
    request.resume();
    response.end();
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return { url: `https://127.0.0.1:${port}`, arrived: () => count };
}

test.each([
  [[], 'down', 0],
  [['--skip-verify'], 'forwarded', 1],
])('an untrusted certificate, with %j: %s', async (flags, type, came) => {
  const box = await sandbox();
  const server = await secureServer();
  const line = ['listen', '--forward-to', server.url, ...flags, '--json'];
  const listener = await running(box.run, line, { now: () => Date.now() });
  await quotedRoute(box);
  await box.json(['sandbox', 'advance', '--drain']);
  const [notice] = await listener.printed(type);
  await listener.stop();
  expect(server.arrived()).toBe(came);
  if (type === 'down') expect(notice?.reason).toMatch(/^No response from https:.*TLS: /);
});
