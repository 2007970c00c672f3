import { createHmac, timingSafeEqual } from 'node:crypto';
import { fieldsOf } from '../../../src/providers/json-messages.ts';

export interface DoorDashCredentials {
  developer_id: string;
  key_id: string;
  signing_secret: string;
}

const max_age_seconds = 1800;

/** Verifies a token as DoorDash does; gives the problem, or null if the token is good. */
export function tokenProblem(
  authorization: string | undefined,
  credentials: DoorDashCredentials,
  now: number,
): string | null {
  const [scheme, token = ''] = (authorization ?? '').split(' ');
  const [head = '', claims = '', signature = ''] = token.split('.');
  if (scheme !== 'Bearer' || signature === '') return 'A JWT is missing';
  const header = decode(head);
  if (header.alg !== 'HS256') return 'The [alg] header must be HS256';
  if (header.typ !== 'JWT') return 'The [typ] header must be JWT';
  if (header['dd-ver'] !== 'DD-JWT-V1') return 'The [dd-ver] header must be DD-JWT-V1';
  const payload = decode(claims);
  if (payload.aud !== 'doordash') return 'The [aud] claim must be doordash';
  if (payload.iss !== credentials.developer_id) return 'The [iss] claim is no known developer';
  if (payload.kid !== credentials.key_id) return 'The [kid] claim is no known key';
  const key = Buffer.from(credentials.signing_secret, 'base64url');
  const expected = createHmac('sha256', key).update(`${head}.${claims}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return 'The signature does not match the key';
  }
  return timeProblem(payload.iat, payload.exp, Math.floor(now / 1000));
}

function timeProblem(issued: unknown, expires: unknown, now: number): string | null {
  if (typeof issued !== 'number' || typeof expires !== 'number')
    return 'The [iat] and [exp] claims must be numbers';
  if (issued > now) return 'The [iat] is in the future';
  if (expires <= now) return 'The [exp] is in the past; the JWT is expired';
  return expires > issued + max_age_seconds ? 'The [exp] is more than 30 minutes after the [iat]' : null;
}

function decode(part: string) {
  try {
    return fieldsOf(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return {};
  }
}
