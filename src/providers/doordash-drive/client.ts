import { createHmac } from 'node:crypto';
import type { CourierHttpRequest, CourierHttpResponse, CourierPorts, CourierSettings } from '../courier.ts';

const origin = 'https://openapi.doordash.com';
/** The hosts that are called. */
export const hosts = [new URL(origin).host];
const token_seconds = 300;

/** Sends a request to DoorDash Drive with a token of its own. */
export type DoorDashCall = (
  method: CourierHttpRequest['method'],
  path: string,
  body?: unknown,
) => Promise<CourierHttpResponse>;

export function createClient(settings: CourierSettings, { http, now }: CourierPorts): DoorDashCall {
  return (method, path, body) =>
    http({
      method,
      url: `${origin}${path}`,
      headers: {
        authorization: `Bearer ${tokenOf(settings, now())}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** The signed token of a call: a JWT by RFC 7519 with HS256, whose key is the decoded signing secret. */
export function tokenOf(settings: CourierSettings, now: number): string {
  const issued = Math.floor(now / 1000);
  const header = { alg: 'HS256', typ: 'JWT', 'dd-ver': 'DD-JWT-V1' };
  const claims = {
    aud: 'doordash',
    iss: settings.developer_id,
    kid: settings.key_id,
    iat: issued,
    exp: issued + token_seconds,
  };
  const signed = `${base64url(header)}.${base64url(claims)}`;
  const key = Buffer.from(settings.signing_secret ?? '', 'base64url');
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
