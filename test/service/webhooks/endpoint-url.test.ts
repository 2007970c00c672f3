import { expect, test } from 'vitest';
import { urlFault } from '../../../src/service/webhooks/endpoints/endpoint.ts';
import { fakeTimers, fakeWeb, publicAddress, until } from './fake-web.ts';

const names = {
  'shop.example': () => [publicAddress],
  'inside.example': () => ['10.0.0.1'],
  'half.example': () => [publicAddress, '169.254.169.254'],
  'here.example': () => ['127.0.0.1'],
  app: () => ['127.0.0.1'],
};

async function faultOf(url: string, sandbox = false): Promise<string | null> {
  const web = fakeWeb(names);
  const fault = await urlFault(
    { web, timers: fakeTimers(), loopback_webhooks: sandbox ? 'allowed' : 'refused' },
    url,
  );
  expect(web.targets).toEqual([]);
  if (fault !== null) expect(fault.path).toBe('url');
  return fault?.message ?? null;
}

test.each([
  'https://shop.example/hook?a=1',
  'https://shop.example:8080',
  'https://93.184.216.34/',
  'https://[2606:4700::1111]/',
  'https://unknown.example/',
  `https://shop.example/${'x'.repeat(2027)}`,
])('a hosted service accepts %s', async (url) => {
  expect(await faultOf(url)).toBeNull();
});

test.each([
  ['shop.example', 'must be a URL such as https://shop.example/webhooks'],
  ['', 'must be a URL such as https://shop.example/webhooks'],
  [' https://shop.example/', 'must be a URL such as https://shop.example/webhooks'],
  ['https://shop.example/\u0007', 'must be a URL such as https://shop.example/webhooks'],
  ['ftp://shop.example/', 'must start with http:// or https://'],
  ['file:///etc/passwd', 'must start with http:// or https://'],
  ['https://me@shop.example/', /^must not contain a user or password/],
  ['https://:secret@shop.example/', /^must not contain a user or password/],
  ['https://shop.example/#part', /^must not have a fragment/],
  ['https://shop.example/#', /^must not have a fragment/],
  [`https://shop.example/${'x'.repeat(2028)}`, 'must have at most 2048 characters'],
])('no service accepts %s', async (url, message) => {
  for (const sandbox of [false, true]) {
    const told = await faultOf(url, sandbox);
    if (typeof message === 'string') expect(told).toBe(message);
    else expect(told).toMatch(message);
  }
});

test.each([
  ['http://127.0.0.1:3000/', '127.0.0.1 is a loopback address'],
  ['http://[::1]/', '::1 is a loopback address'],
  ['http://10.0.0.1/', '10.0.0.1 is a private address'],
  ['http://169.254.169.254/', '169.254.169.254 is a metadata address'],
  ['http://localhost:3000/', 'localhost resolves to a loopback address'],
  ['http://shop.localhost/', 'shop.localhost resolves to a loopback address'],
  ['https://here.example/', 'here.example resolves to a loopback address'],
  ['https://inside.example/', 'inside.example resolves to a private address'],
  ['https://half.example/', 'half.example resolves to a metadata address'],
])('a hosted service refuses %s', async (url, reason) => {
  const message = await faultOf(url);
  const forward = 'forward events to your machine with `waybill listen --forward-to URL`';
  const instead = reason.includes('loopback')
    ? `${forward}, or run the service with --allow-loopback-webhooks`
    : `or ${forward}`;
  expect(message).toBe(`${reason}, which is not allowed: use a public address, ${instead}`);
});

test.each(['http://shop.example/hooks', 'http://93.184.216.34/', 'http://unknown.example/'])(
  'no service accepts %s, which is not encrypted',
  async (url) => {
    for (const sandbox of [false, true])
      expect(await faultOf(url, sandbox)).toMatch(/^must start with https:/);
  },
);

test.each([
  ['http://x', 'x'],
  ['https://hooks/path', 'hooks'],
  ['https://hooks./', 'hooks.'],
])('no service accepts %s, whose host has no domain', async (url, host) => {
  for (const sandbox of [false, true])
    expect(await faultOf(url, sandbox)).toBe(
      `must have a host with a domain, such as https://shop.example/webhooks, not "${host}"`,
    );
});

test.each([
  'http://127.0.0.1:3000/',
  'http://[::1]:3000/',
  'http://app:3000/',
  'http://here.example/',
  'http://localhost:3000/',
  'https://here.example/',
])('a sandbox accepts %s', async (url) => {
  expect(await faultOf(url, true)).toBeNull();
});

test.each([
  'http://10.0.0.1/',
  'http://169.254.169.254/',
  'https://inside.example/',
  'https://half.example/',
])('a sandbox refuses %s', async (url) => {
  expect(await faultOf(url, true)).toMatch(
    /, which is not allowed: use a public address, or a loopback address$/,
  );
});

test('addresses and names of the local machine are not looked up', async () => {
  const web = fakeWeb(names);
  for (const url of ['http://localhost/', 'http://10.0.0.1/', 'https://93.184.216.34/']) {
    await urlFault({ web, timers: fakeTimers(), loopback_webhooks: 'refused' }, url);
  }
  expect(web.asked).toEqual([]);
});

test('a name that cannot be resolved is accepted for now', async () => {
  const timers = fakeTimers();
  const web = { ...fakeWeb(), resolve: () => new Promise<never>(() => {}) };
  const asking = urlFault({ web, timers, loopback_webhooks: 'refused' }, 'https://slow.example/');
  await until(() => timers.waiting() === 1);
  timers.pass(3_000);
  expect(await asking).toBeNull();
  expect(timers.waiting()).toBe(0);
});
