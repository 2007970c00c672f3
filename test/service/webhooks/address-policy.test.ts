import { expect, onTestFinished, test } from 'vitest';
import { refusedAs } from '../../../src/service/runtime/address-policy.ts';
import { fakeWeb, local, otherPublicAddress, publicAddress, startShop, webhookClientOn } from './fake-web.ts';
import { startReceiver } from './receiver.ts';

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['::1', 'loopback'],
  ['169.254.169.254', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['fc00::1', 'private'],
  ['fdff::1', 'private'],
  ['100.64.0.1', 'shared'],
  ['100.127.255.255', 'shared'],
  ['169.254.0.1', 'link-local'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['2606:4700::1%eth0', 'link-local'],
  ['fec0::1', 'site-local'],
  ['224.0.0.1', 'multicast'],
  ['ff02::1', 'multicast'],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['2001:db8::1', 'documentation'],
  ['192.0.0.1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['2001::1', 'reserved'],
  ['100::1', 'reserved'],
  ['64:ff9b:1::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['4000::1', 'reserved'],
])('nothing is sent to %s, which is %s', (address, kind) => {
  const refusal = new RegExp(`^an? ${kind} address$`);
  expect(refusedAs(address, 'refused')).toMatch(refusal);
  if (kind !== 'loopback') expect(refusedAs(address, 'allowed')).toMatch(refusal);
});

test.each([
  '::ffff:10.0.0.1',
  '::ffff:a00:1',
  '0:0:0:0:0:FFFF:0A00:0001',
  '::10.0.0.1',
  '::ffff:0:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '2002:a00:1::',
  '2002:a00:1:2:3:4:5:6',
])('%s contains 10.0.0.1, which is private', (address) => {
  expect(refusedAs(address, 'refused')).toBe('a private address');
  expect(refusedAs(address, 'allowed')).toBe('a private address');
});

test.each([
  publicAddress,
  otherPublicAddress,
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2606:4700::1111',
  '2003::1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
])('%s is public', (address) => {
  expect(refusedAs(address, 'refused')).toBeNull();
});

test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('a sandbox may send to %s', (address) => {
  expect(refusedAs(address, 'allowed')).toBeNull();
});

test.each(['2002:7f00:1::', '64:ff9b::7f00:1'])(
  'a sandbox may not send to %s by a relay either',
  (address) => {
    expect(refusedAs(address, 'allowed')).not.toBeNull();
  },
);

test.each(['', 'localhost', '1.2.3', '10.0.0.1.', '10.0.0.1:80', '[::1]', '0177.0.0.1'])(
  '%j is not an address',
  (text) => {
    expect(refusedAs(text, 'allowed')).toBe('no address');
  },
);

/** The result of a webhook by a hosted service or a sandbox; nothing may be connected. */
async function refusal(url: string, names: Record<string, readonly string[]> = {}, sandbox = false) {
  const found = Object.entries(names).map(([name, addresses]) => [name, () => addresses] as const);
  const web = fakeWeb(Object.fromEntries(found));
  const webhook_client = webhookClientOn(web, { sandbox });
  const posted = await webhook_client.post(url);
  expect(web.targets).toEqual([]);
  expect(posted).toMatchObject({ status_code: null, response: '', retry_after_ms: undefined });
  return posted.reason;
}

test.each([
  ['the loopback address', 'http://127.0.0.1/hook', '127.0.0.1 is a loopback address'],
  ['a decimal spelling', 'http://2130706433/', '127.0.0.1 is a loopback address'],
  ['an escaped spelling', 'http://%31%32%37.0.0.1/', '127.0.0.1 is a loopback address'],
  ['full-width digits', 'http://１２７.0.0.1/', '127.0.0.1 is a loopback address'],
  ['a user before it', 'http://shop.example@127.0.0.1/', '127.0.0.1 is a loopback address'],
  ['IPv4 in IPv6', 'http://[::ffff:127.0.0.1]/', '::ffff:7f00:1 is a loopback address'],
])('a hosted service sends nothing to %s', async (_, url, reason) => {
  expect(await refusal(url)).toBe(`${reason}, which is not allowed`);
});

test.each([
  ['169.254.169.254', 'a metadata address'],
  ['::ffff:10.0.0.1', 'a private address'],
  ['fe80::1%eth0', 'a link-local address'],
])('nothing is sent to a name that resolves to %s', async (address, kind) => {
  const reason = await refusal('https://shop.example/hook', { 'shop.example': [address] });
  expect(reason).toBe(`shop.example resolves to ${kind}, which is not allowed`);
});

test.each([[[publicAddress, '10.0.0.1']], [['10.0.0.1', publicAddress]]])(
  'nothing is sent to a name with an allowed and a refused address: %j',
  async (addresses) => {
    expect(await refusal('https://shop.example/hook', { 'shop.example': addresses })).toBe(
      'shop.example resolves to a private address, which is not allowed',
    );
  },
);

test.each(['http://10.0.0.1/', 'http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://0.0.0.0/'])(
  'a sandbox sends nothing to %s',
  async (url) => {
    expect(await refusal(url, {}, true)).toMatch(/which is not allowed$/);
  },
);

test('a sandbox sends to its own machine by address and by name', async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  const web = fakeWeb({ localhost: () => ['127.0.0.1', '::1'] }, ({ port }) => local(port));
  const { post } = webhookClientOn(web, { sandbox: true });
  const byAddress = await post(`${receiver.url}/by-address`);
  expect(byAddress).toMatchObject({ status_code: 200, reason: '' });
  expect(await post(`http://localhost:${receiver.port}/by-name`)).toMatchObject({ reason: '' });
  expect(receiver.received.map(({ path }) => path)).toEqual(['/by-address', '/by-name']);
});

test('only the checked address is connected to, and each new connection is checked', async () => {
  const answers = [[publicAddress], ['10.0.0.1']];
  const { web, post, received } = await startShop(
    () => ({ headers: { connection: 'close' } }),
    () => answers.shift() ?? [],
  );
  expect((await post('http://shop.example/1')).reason).toBe('');
  expect((await post('http://shop.example/2')).reason).toBe(
    'shop.example resolves to a private address, which is not allowed',
  );
  expect(web.targets).toEqual([{ address: publicAddress, port: 80, servername: null }]);
  expect(web.asked).toEqual(['shop.example', 'shop.example']);
  expect(received.map(({ path }) => path)).toEqual(['/1']);
});

test.each([
  'http://127.0.0.1/inside',
  'http://10.0.0.1/',
  '//169.254.169.254/latest',
  'https://other.example/',
])('a redirect to %s is not followed', async (location) => {
  const { web, post, received } = await startShop(() => ({ status: 302, headers: { location } }));
  expect(await post('http://shop.example/hook')).toMatchObject({
    status_code: 302,
    reason: `redirects are not followed (302 to ${location})`,
  });
  expect(web.asked).toEqual(['shop.example']);
  expect(web.targets.map(({ address }) => address)).toEqual([publicAddress]);
  expect(received).toHaveLength(1);
});
