import type { CourierHttpRequest, CourierHttpResponse } from './courier.ts';

/** Sends an authorized request to a courier; the path begins with a slash. */
export type CourierCall = (
  method: CourierHttpRequest['method'],
  path: string,
  body?: unknown,
) => Promise<CourierHttpResponse>;

/** A request for JSON, with a body in JSON if there is one. */
export function jsonRequest(
  method: CourierHttpRequest['method'],
  url: string,
  body: unknown,
): CourierHttpRequest {
  const headers = { accept: 'application/json' };
  if (body === undefined) return { method, url, headers };
  return {
    method,
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** A request that is authorized by a bearer token (RFC 6750). */
export function withBearer(request: CourierHttpRequest, token: string): CourierHttpRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
