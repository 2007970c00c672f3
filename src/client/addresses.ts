/** A base URL that cannot be used; `message` says why. */
export class BadBaseUrl extends Error {
  override name = 'BadBaseUrl';
}

/** Reads a base URL such as `https://deliveries.example/burq`; a path before the interface's own is kept. */
export function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new BadBaseUrl(`'${withoutUser(text)}' is not a base URL: it begins with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new BadBaseUrl('A base URL carries no user and no password; the API key goes in its own header.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new BadBaseUrl(`'${text}' is not a base URL: it ends before any ? or #.`);
  }
  return url;
}

/** A user and a password that stand in what was given are not shown. */
function withoutUser(text: string): string {
  return text.replace(/^.*@/s, '…@');
}

/** The path that goes before those of the interface: empty, or with a leading and no trailing slash. */
export function pathPrefix(url: URL): string {
  return url.pathname.replace(/\/+$/, '');
}

/** What the proxy variables say is none; `message` says so. */
export class BadProxy extends Error {
  override name = 'BadProxy';
}

/** Reads the address of a proxy; what is wrong with it is not said again, as a password may stand in it. */
export function parseProxy(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new BadProxy(
    'What the variables say of a proxy is no address of one: it begins with http:// or https://.',
  );
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that the usual variables ask for at this address, and the exceptions, or null. */
export function proxyFor(url: URL, environment: Environment): { proxy: string; exceptions: string } | null {
  if (isLoopback(url.hostname)) return null;
  const scheme = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = either(environment, scheme) || either(environment, 'ALL_PROXY');
  return proxy === '' ? null : { proxy, exceptions: either(environment, 'NO_PROXY') };
}

/** Whether a service is among those that need no proxy: `example.com:8080`, with all below it; `*` for all. */
export function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const own = Number(port) || (protocol === 'https:' ? 443 : 80);
  return exceptions.split(/[,\s]+/).some((entry) => {
    const [, host = '', only] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
    if (host === '' || (only !== undefined && Number(only) !== own)) return false;
    const end = host.toLowerCase().replace(/^\*?\.?/, '');
    return end === '' || hostname.endsWith(`.${end}`) || (hostname === end && !host.startsWith('*'));
  });
}

/** The lower-case name goes before the upper-case one, as in curl. */
function either(environment: Environment, name: string): string {
  return environment[name.toLowerCase()] ?? environment[name] ?? '';
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^(127\.|\[::1\]$)/.test(hostname);
}
