import type { WebhookEndpointRow } from '../../../storage/database.ts';

/** A secret replaced by a rotation. */
export interface PreviousSecret {
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

/** The secrets that sign at a service time, including previous ones for a while after a rotation. */
export function secretsInForce(
  endpoint: Pick<WebhookEndpointRow, 'secret' | 'previous_secrets'>,
  now: number,
): readonly string[] {
  return [endpoint.secret, ...stillSigning(endpoint, now).map(({ secret }) => secret)];
}
