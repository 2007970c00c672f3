import { describe, expect, test } from 'vitest';
import { createClientAddresses } from '../../../src/service/http/client-addresses.ts';

describe('the address of a client', () => {
  const { find } = createClientAddresses(['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48']);

  test.each([
    ['no proxy', '198.51.100.1', undefined, '198.51.100.1'],
    ['a header from somebody who is not trusted', '198.51.100.1', '203.0.113.5', '198.51.100.1'],
    ['a proxy', '10.1.2.3', '203.0.113.5', '203.0.113.5'],
    ['a proxy without a header', '10.1.2.3', undefined, '10.1.2.3'],
    ['a proxy as IPv4 in IPv6', '::ffff:10.1.2.3', '203.0.113.5', '203.0.113.5'],
    ['two proxies', '10.1.2.3', '203.0.113.5, 192.0.2.7', '203.0.113.5'],
    ['what a client made up', '10.1.2.3', '127.0.0.1, 203.0.113.5', '203.0.113.5'],
    ['a word that is no address', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['a port', '10.1.2.3', '203.0.113.5:4711', '203.0.113.5'],
    ['IPv6 with a port', '10.1.2.3', '[2001:db8:2::1]:443', '2001:db8:2:0::/64'],
    ['an IPv6 proxy', '2001:db8:1::5', '203.0.113.5', '203.0.113.5'],
    ['IPv6, of which a client has a whole network', '2001:DB8:2:3:4:5:6:7', undefined, '2001:db8:2:3::/64'],
    ['IPv6 with a zone', 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
  ])('%s', (_what, connected, forwarded, client) => {
    expect(find(connected, forwarded)).toBe(client);
  });
});
