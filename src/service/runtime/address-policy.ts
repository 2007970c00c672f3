/** Which IP addresses the service may connect to for others: those of the public Internet. */
import { BlockList, isIP } from 'node:net';

/**
 * Forbidden addresses by kind: IANA's special-purpose registries (RFC 6890) and the metadata services of clouds. The
 * first list that contains an address names it.
 */
const kinds: readonly { name: string; ranges: readonly string[] }[] = [
  { name: 'loopback', ranges: ['127.0.0.0/8', '::1/128'] },
  {
    name: 'metadata',
    ranges: [
      '169.254.169.254/32',
      '169.254.170.2/32',
      '100.100.100.200/32',
      '168.63.129.16/32',
      '192.0.0.192/32',
      'fd00:ec2::254/128',
      'fd20:ce::254/128',
    ],
  },
  { name: 'unspecified', ranges: ['0.0.0.0/8', '::/128'] },
  { name: 'private', ranges: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] },
  { name: 'shared', ranges: ['100.64.0.0/10'] },
  { name: 'link-local', ranges: ['169.254.0.0/16', 'fe80::/10'] },
  { name: 'site-local', ranges: ['fec0::/10'] },
  { name: 'multicast', ranges: ['224.0.0.0/4', 'ff00::/8'] },
  {
    name: 'documentation',
    ranges: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  },
  {
    name: 'reserved',
    ranges: [
      ...['192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4', '2001::/23'],
      // Everything outside 2000::/3, the only public range.
      ...['::/3', '4000::/2', '8000::/1'],
    ],
  },
];

type Family = 'ipv4' | 'ipv6';

// A list matches an IPv4 address for its IPv4-mapped IPv6 address, so each family has its own list.
const lists = kinds.flatMap(({ name, ranges }) =>
  (['ipv4', 'ipv6'] as const).map((family) => ({
    name,
    family,
    list: listOf(ranges.filter((range) => familyOf(range) === family)),
  })),
);

/** IPv6 ranges with an embedded IPv4 address: mapped, compatible, translated, and 6to4. */
const carriers = [
  { within: listOf(['::ffff:0:0/96', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96']), group: 6 },
  { within: listOf(['2002::/16']), group: 1 },
];

/** The addresses in ::/96 that embed no IPv4 address. */
const carryNothing = listOf(['::/128', '::1/128']);

/** The loopback addresses. */
const ownMachine = listOf(['127.0.0.0/8', '::1/128', '::ffff:127.0.0.0/104']);

export function isAddress(host: string): boolean {
  return isIP(host) > 0;
}

export function isLoopback(address: string): boolean {
  return isAddress(address) && ownMachine.check(address, familyOf(address));
}

const privateKinds: readonly string[] = ['loopback', 'private', 'shared'];

/** Whether an address is one of this machine or of a private network. */
export function isPrivate(address: string): boolean {
  return isAddress(address) && privateKinds.includes(kindOf(address) ?? '');
}

/** Whether webhooks may be sent to this machine; `unread`: without storing the response. */
export type LoopbackWebhooks = 'allowed' | 'unread' | 'refused';

/** The kind of a forbidden address, such as `a private address`; null if it is allowed. */
export function refusedAs(address: string, loopback: LoopbackWebhooks): string | null {
  if (!isAddress(address)) return 'no address';
  if (loopback !== 'refused' && isLoopback(address)) return null;
  const kind = kindOf(address);
  return kind === null ? null : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind} address`;
}

function kindOf(address: string): string | null {
  // A zone identifies a link-local network.
  if (address.includes('%')) return 'link-local';
  const family = familyOf(address);
  const carried = family === 'ipv6' ? carriedBy(address) : null;
  if (carried !== null) return kindOf(carried);
  return lists.find((each) => each.family === family && each.list.check(address, family))?.name ?? null;
}

/** The embedded IPv4 address of an IPv6 address, if it has one. */
function carriedBy(address: string): string | null {
  if (carryNothing.check(address, 'ipv6')) return null;
  const carrier = carriers.find(({ within }) => within.check(address, 'ipv6'));
  if (carrier === undefined) return null;
  const groups = readIpv6Groups(address).slice(carrier.group, carrier.group + 2);
  return groups.flatMap((group) => [group >> 8, group & 255]).join('.');
}

/** The eight groups of an IPv6 address, each a number of 16 bits. */
export function readIpv6Groups(address: string): number[] {
  // The URL parser normalizes addresses: compressed, in hexadecimal.
  const { hostname } = new URL(`http://[${address}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((side) => side.split(':').filter((group) => group !== ''));
  const omitted = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...omitted, ...after].map((group) => Number.parseInt(group, 16));
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), familyOf(range));
  }
  return list;
}

/** The family of an address or range. */
function familyOf(text: string): Family {
  return text.includes(':') ? 'ipv6' : 'ipv4';
}
