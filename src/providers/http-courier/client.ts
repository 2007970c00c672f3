import type { CourierHttpRequest, CourierHttpResponse, CourierPorts, CourierSettings } from '../courier.ts';

/** Sends a request to the courier of the settings. The path begins with a slash. */
export type CourierCall = (
  method: CourierHttpRequest['method'],
  path: string,
  body?: unknown,
) => Promise<CourierHttpResponse>;

export function createClient(settings: CourierSettings, { http }: CourierPorts): CourierCall {
  const base = (settings.url ?? '').replace(/\/+$/, '');
  return (method, path, body) =>
    http({
      method,
      url: base + path,
      headers: {
        authorization: `Bearer ${settings.api_key}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** Why an address cannot be a courier's; null if it can. In private networks it may be unencrypted. */
export function addressProblem(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || url.search !== '' || url.hash !== '') {
    return 'The address is a URL without query and fragment, such as https://courier.example/waybill.';
  }
  if (url.username !== '' || url.password !== '')
    return 'The address must not contain a user name or password.';
  const mayBePrivate = /^(\[.*\]|[\d.]+|[^.]+)$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && mayBePrivate)
    ? null
    : 'The address must begin with https://.';
}
