import type { WebhookEndpointRow } from '../../../storage/database.ts';
import { keyIdOf, type Sealing } from '../../runtime/sealing.ts';

/** A secret replaced by a rotation. */
export interface PreviousSecret {
  /** As stored: see `WebhookEndpointRow`. */
  secret: string;
  /** Until when, in service time, it signs as well. */
  until: number;
}

/** An endpoint's previous secrets that still sign at a service time, latest first. */
export function stillSigning(
  { previous_secrets }: Pick<WebhookEndpointRow, 'previous_secrets'>,
  now: number,
): PreviousSecret[] {
  const all: PreviousSecret[] = JSON.parse(previous_secrets);
  return all.filter(({ until }) => now < until);
}

type SecretsRow = Pick<WebhookEndpointRow, 'id' | 'secret' | 'previous_secrets'>;

/** The decrypted secrets of rows that are in use: the sender reads an endpoint once for a page of messages. */
const opened = new WeakMap<SecretsRow, Map<string, string>>();

/**
 * The secrets that sign at a service time, including previous ones for a while after a rotation. Those of one row
 * object are decrypted once. Throws `secret_key_missing`.
 */
export async function secretsInForce(
  sealing: Sealing,
  endpoint: SecretsRow,
  now: number,
): Promise<readonly string[]> {
  const stored = [endpoint.secret, ...stillSigning(endpoint, now).map(({ secret }) => secret)];
  const known = opened.get(endpoint) ?? new Map<string, string>();
  opened.set(endpoint, known);
  const open = async (secret: string) => {
    const plain = known.get(secret) ?? (await sealing.open(endpoint.id, secret));
    known.set(secret, plain);
    return plain;
  };
  return Promise.all(stored.map(open));
}

/** The secrets of an endpoint with those encrypted again that are not encrypted with the key `current`. */
export async function resealSecrets(
  sealing: Sealing,
  endpoint: SecretsRow,
  current: string,
): Promise<Pick<SecretsRow, 'secret' | 'previous_secrets'>> {
  const reseal = async (stored: string) =>
    keyIdOf(stored) === current ? stored : sealing.seal(endpoint.id, await sealing.open(endpoint.id, stored));
  const previous: PreviousSecret[] = JSON.parse(endpoint.previous_secrets);
  const all = previous.map(async ({ secret, until }) => ({ secret: await reseal(secret), until }));
  return {
    secret: await reseal(endpoint.secret),
    previous_secrets: JSON.stringify(await Promise.all(all)),
  };
}
