import type { Delivery } from '../../../contract/deliveries.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';

/** The default address of `track` and `serve`, which tracking links of the embedded service point to. */
export const trackingHost = { host: '127.0.0.1', port: 4010 } as const;

/** True if a tracking link points to this machine, where nothing serves it between two commands. */
export function isLocalLink(tracking_url: string): boolean {
  return tracking_url.startsWith(`http://${trackingHost.host}:${trackingHost.port}/`);
}

/** Adds the command that serves the tracking page of an embedded delivery. */
export function trackingNotes(
  { settings, output }: Pick<Context, 'settings' | 'output'>,
  { id, tracking_url }: Delivery,
): Text[] {
  const isRead = output.format === 'table' || output.format === 'wide';
  if (!isRead || settings.target.kind !== 'embedded' || !isLocalLink(tracking_url)) return [];
  return [phrase`The tracking link works while ${invocation('track', [id])} runs.`];
}
