import { createHmac } from 'node:crypto';
import { toFields } from '../../../src/providers/json-messages.ts';

export interface DoorDashCredentials {
  developer_id: string;
  key_id: string;
  signing_secret: string;
}

/** Verifies a token as DoorDash does; gives the problem, or null if the token is good. */
export function tokenProblem(
  authorization: string | undefined,
  credentials: DoorDashCredentials,
  now: number,
): string | null {
  const [head = '', claims = '', signature = ''] = (authorization ?? '').replace('Bearer ', '').split('.');
  const key = Buffer.from(credentials.signing_secret, 'base64url');
  const expected = createHmac('sha256', key).update(`${head}.${claims}`).digest();
  if (!expected.equals(Buffer.from(signature, 'base64url'))) return 'The signature does not match the key';
  const { iss, kid, exp } = toFields(JSON.parse(Buffer.from(claims, 'base64url').toString()));
  if (iss !== credentials.developer_id || kid !== credentials.key_id) return 'The key is not known';
  return Number(exp) * 1000 > now ? null : 'The [exp] is in the past; the JWT is expired';
}
