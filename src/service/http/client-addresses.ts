/** The address of the client behind a connection, which may be that of a proxy. */
import { BlockList, isIP } from 'node:net';
import { readIpv6Groups } from '../runtime/address-policy.ts';

export interface ClientAddresses {
  /** The address of a client, from its connection and the X-Forwarded-For header. */
  find: (connected: string, forwarded_for?: string) => string;
  /** Whether a connection is from a trusted proxy, and so may be any client's. */
  isProxy: (connected: string) => boolean;
}

/**
 * The header is trusted as far as trusted proxies wrote it: from its end to the first address that is not a trusted
 * proxy. IPv6 addresses are reduced to their /64 network, which belongs to one client. Networks are `10.0.0.0/8` or
 * one address.
 */
export function createClientAddresses(trusted_proxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const network of trusted_proxies) addNetwork(trusted, network);
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const find: ClientAddresses['find'] = (connected, forwarded_for) => {
    let client = plainAddress(connected);
    const hops = forwarded_for?.split(',') ?? [];
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop);
      if (!isTrusted(client) || isIP(address) === 0) break;
      client = address;
    }
    return isIP(client) === 6 ? networkOf(client) : client;
  };
  return { find, isProxy: (connected) => isTrusted(plainAddress(connected)) };
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/');
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, type);
  else list.addSubnet(address, Number(prefix), type);
}

/** Removes brackets, port and zone; converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(text: string): string {
  const host = /^\s*\[?([^\]%]*?)(?:%[^\]]*)?(?:\]:\d+|\])?\s*$/.exec(text)?.[1] ?? '';
  const withoutPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(host)?.[1] ?? host;
  return withoutPort.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The /64 network of an IPv6 address. */
function networkOf(address: string): string {
  const groups = readIpv6Groups(address).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
