/** The addresses of services: which base URLs are valid, which go through a proxy, and which are this machine's. */

/** An invalid base URL; `message` says why. */
export class BadBaseUrl extends Error {
  override name = 'BadBaseUrl';
}

/** Parses a base URL such as `https://deliveries.example/burq`; its path is kept as a prefix. */
export function parseBaseUrl(text: string): URL {
  const url = urlIn(text);
  if (url === null && /^https?:\/\//i.test(text))
    throw new BadBaseUrl(`Invalid base URL '${withoutUser(text)}': its host or port is not valid.`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    const example = likelyUrl(text) ?? 'https://deliveries.example';
    throw new BadBaseUrl(
      `Invalid base URL '${withoutUser(text)}': it must start with http:// or https://, such as ${example}.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new BadBaseUrl(
      'The base URL must not contain a user or password; the API key is sent in its own header.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new BadBaseUrl(`Invalid base URL '${text}': it must not contain ? or #.`);
  }
  return url;
}

/** `URL.parse`, which Node 20 does not have. */
function urlIn(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}

/** The URL of a host that was typed without its scheme: `localhost:3000`, `deliveries.example`. */
function likelyUrl(text: string): string | null {
  if (/^localhost(:\d+)?(\/[^@]*)?$/.test(text)) return `http://${text}`;
  return /^[\w-]+(\.[\w-]+)+(:\d+)?(\/[^@]*)?$/.test(text) ? `https://${text}` : null;
}

/** Hides the user and password of an invalid URL. */
function withoutUser(text: string): string {
  return text.replace(/^.*@/s, '…@');
}

/** The path prefix of all API paths: empty, or with a leading and without a trailing slash. */
export function pathPrefix(url: URL): string {
  return url.pathname.replace(/\/+$/, '');
}

/** The URL that the API paths are appended to: without a slash at its end. */
export function urlPrefix(url: URL): string {
  return `${url.origin}${pathPrefix(url)}`;
}

/** An invalid proxy URL in the environment; `message` says why. */
export class BadProxy extends Error {
  override name = 'BadProxy';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name proxies; the lower-case names take precedence. */
export const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'] as const;

/** A proxy of the environment: its value as it is written there, and the variable. */
export interface ConfiguredProxy {
  text: string;
  variable: (typeof proxyVariables)[number];
}

/** Parses a proxy URL, or `HOST:PORT` as curl takes it. The error does not repeat it: it may contain a password. */
export function parseProxy({ text, variable }: ConfiguredProxy): URL {
  const url = urlIn(/^[^/]+:\d+\/?$/.test(text) ? `http://${text}` : text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BadProxy(
      `Invalid proxy URL in ${variable}: it must be http://HOST:PORT, https:// or HOST:PORT.`,
    );
  if (decodeEscapes(url.username) === null || decodeEscapes(url.password) === null)
    throw new BadProxy(
      `Invalid proxy URL in ${variable}: a % in its user or password needs two hex digits after it. Write %25 for the sign itself.`,
    );
  return url;
}

/** The text without percent escapes; null if one of them is invalid. */
function decodeEscapes(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The proxy for a URL from the usual environment variables; null without one, or where NO_PROXY excepts the host. */
export function proxyFor(url: URL, environment: Environment): ConfiguredProxy | null {
  if (isThisMachine(url.hostname) || isExcepted(url, readVariable(environment, 'NO_PROXY'))) return null;
  const protocolVariable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  for (const variable of [protocolVariable, 'ALL_PROXY'] as const) {
    const text = readVariable(environment, variable);
    if (text !== '') return { text, variable };
  }
  return null;
}

/**
 * Whether NO_PROXY lists a service: `example.com:8080` including subdomains, `*` for all, an address or a network.
 * A dot at the end of a name is that of the root, as in curl.
 */
export function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const servicePort = Number(port) || (protocol === 'https:' ? 443 : 80);
  const name = bareHost(hostname);
  return exceptions.split(/[,\s]+/).some((entry) => {
    // An IPv6 address without brackets has no port behind it.
    const isBareAddress = /^[^[\]]*:[^[\]]*:/.test(entry);
    const [, host = '', entryPort] = (isBareAddress ? null : /^(.+?)(?::(\d+))?$/.exec(entry)) ?? [
      null,
      entry,
    ];
    if (host === '' || (entryPort !== undefined && Number(entryPort) !== servicePort)) return false;
    if (isInNetwork(name, host)) return true;
    const domain = bareHost(host.toLowerCase().replace(/^\*?\.?/, ''));
    return domain === '' || name.endsWith(`.${domain}`) || (name === domain && !host.startsWith('*'));
  });
}

/** A host without the brackets of an IPv6 address and without a dot at its end. */
function bareHost(host: string): string {
  return host.replace(/^\[|\]$|\.$/g, '');
}

/** Whether an address lies in a network such as `10.0.0.0/8` or `fd00::/8`. */
function isInNetwork(address: string, network: string): boolean {
  const { BlockList, isIP } = process.getBuiltinModule('node:net');
  const [first = '', bits = ''] = network.split('/');
  const version = isIP(first);
  if (version === 0 || version !== isIP(address) || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (version === 6 ? 128 : 32)) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(first, Number(bits), family);
  return list.check(address, family);
}

/** Lower-case names take precedence over upper-case ones, as in curl; an empty variable is one that is not set. */
export function readVariable(environment: Environment, name: string): string {
  return environment[name.toLowerCase()]?.trim() || environment[name]?.trim() || '';
}

/** Whether a host of a URL is this machine. */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || /^(127(\.\d+){3}|\[::1\])$/.test(name);
}
