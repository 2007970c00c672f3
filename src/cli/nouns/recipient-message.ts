import type { AnyDelivery } from '../../contract/deliveries.ts';
import { findZone } from '../../domain/addresses.ts';
import { etaWindow, knownEtaPrecision } from '../../domain/estimates.ts';
import { canBeLate } from '../../domain/lateness.ts';
import { recipientTexts, type StatusTexts } from '../../domain/recipient-texts.ts';
import { oneLine } from '../kit/output/safe-text.ts';

/**
 * A message for the recipient: `Your delivery from Grill is expected about 6:40 PM CST. Follow it here: https://…`. While
 * no time is ahead, and once it has ended or goes back, it says what the tracking page says.
 */
export function recipientMessage(delivery: AnyDelivery, now: number): string {
  const { pickup_name, status, tracking_url, dropoffs } = delivery;
  const merchant = oneLine(pickup_name);
  const isComing = canBeLate(status);
  const isOver = !isComing && status !== 'request' && status !== 'enroute_to_return';
  const link = `${isOver ? 'See' : 'Follow'} it here: ${tracking_url}`;
  const eta = hasCome.has(status) || !isComing ? null : (dropoffs[0]?.dropoff_eta ?? null);
  const at = eta === null ? null : expectedForRecipient(delivery, Date.parse(eta), now);
  const subject = `Your delivery${merchant === '' ? '' : ` from ${merchant}`}`;
  if (at !== null) return `${subject} ${at}. ${link}`;
  const texts: StatusTexts | undefined = new Map(Object.entries(recipientTexts)).get(status);
  // A newer service may have other statuses.
  if (texts === undefined) return `${subject}: ${tracking_url}`;
  const [courier = ''] = oneLine(delivery.courier_name ?? '').split(' ');
  const sentence = texts.sentence({ merchant: merchant || 'the sender', courier: courier || 'Your courier' });
  return `${sentence.replace(/^the sender/, 'The sender')} ${link}`;
}

/** The statuses of a courier at the recipient: what was expected is no longer of interest. */
const hasCome: ReadonlySet<string> = new Set(['arrived_at_dropoff', 'dropoff_complete']);

/** When it is expected, as a window if the places that this rests on are known coarsely; null once that has passed. */
function expectedForRecipient(delivery: AnyDelivery, eta: number, now: number): string | null {
  const zone = findZone(delivery.dropoffs[0]?.dropoff_address ?? '');
  if (knownEtaPrecision(delivery) === null)
    return eta > now ? `is expected about ${timeForRecipient(eta, now, zone)}` : null;
  const { from, to } = etaWindow(eta);
  const [start, end] = [from, to].map((at) => timeForRecipient(at, now, zone));
  return to > now ? `is expected ${start} to ${end}` : null;
}

/** `6:40 PM CST`, or `Tue, Dec 1, 6:40 PM CST` on another day. */
function timeForRecipient(at: number, now: number, zone: string | null): string {
  const timeZone = zone ?? undefined;
  const day = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    month: 'short',
    day: 'numeric',
  });
  const time = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  // Some versions separate the time from AM and PM by a narrow space.
  const clock = time.format(at).replace(/\s/g, ' ');
  return day.format(at) === day.format(now) ? clock : `${day.format(at)}, ${clock}`;
}
