import type { WebhookEndpointRow } from '../../../storage/database.ts';

/** A secret that was rotated away. */
export interface PreviousSecret {
  secret: string;
  /** Until then, in service time, it signs as well. */
  until: number;
}

/** Those of an endpoint's earlier secrets that still sign at an instant of service time, the last first. */
export function stillSigning(
  { previous_secrets }: Pick<WebhookEndpointRow, 'previous_secrets'>,
  now: number,
): PreviousSecret[] {
  const all: PreviousSecret[] = JSON.parse(previous_secrets);
  return all.filter(({ until }) => now < until);
}

/** The secrets that sign at an instant of service time: those before a rotation go on for a while. */
export function secretsInForce(
  endpoint: Pick<WebhookEndpointRow, 'secret' | 'previous_secrets'>,
  now: number,
): readonly string[] {
  return [endpoint.secret, ...stillSigning(endpoint, now).map(({ secret }) => secret)];
}
