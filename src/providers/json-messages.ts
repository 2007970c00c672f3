/**
 * JSON messages of other servers. A field that is absent or has another type reads as null, so that a new or broken
 * field never fails a whole answer.
 */
import { isFields } from '../domain/fields.ts';
import type { CourierHttpRequest, CourierHttpResponse } from './courier.ts';

export type JsonFields = Readonly<Record<string, unknown>>;

/** The fields of an object; empty for everything else. */
export function toFields(value: unknown): JsonFields {
  return isFields(value) ? value : {};
}

/** The fields of a JSON text; empty if it is no JSON object. A byte order mark is left out, and NUL, which PostgreSQL does not store. */
export function parseFields(text: string): JsonFields {
  const kept = text.replace(/^\uFEFF|\\u0000|(\\.)/g, '$1');
  try {
    return toFields(JSON.parse(kept));
  } catch {
    return {};
  }
}

/** A text that is not empty. */
export function textAt(fields: JsonFields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function numberAt(fields: JsonFields, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** An amount in the smallest unit of a currency. */
export function amountAt(fields: JsonFields, name: string): number | null {
  const value = numberAt(fields, name);
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** An ISO 8601 time in milliseconds since the epoch. */
export function timeAt(fields: JsonFields, name: string): number | null {
  const time = Date.parse(textAt(fields, name) ?? '');
  return Number.isNaN(time) ? null : time;
}

export function listAt(fields: JsonFields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

/** A position on the globe. */
export function positionAt(fields: JsonFields, name: string): { lat: number; lng: number } | null {
  const position = toFields(fields[name]);
  const lat = numberAt(position, 'lat');
  const lng = numberAt(position, 'lng');
  const isOnGlobe = lat !== null && lng !== null && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  return isOnGlobe ? { lat, lng } : null;
}

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
