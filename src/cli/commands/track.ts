/** `track`: which delivery a recipient follows, where its page is, and what a message to them says. */
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { AnyDelivery, DetailedDelivery } from '../../contract/deliveries.ts';
import { findZone } from '../../domain/addresses.ts';
import { hasEndedBadly } from '../../domain/delivery-states.ts';
import { etaWindow, knownEtaPrecision } from '../../domain/estimates.ts';
import { canBeLate } from '../../domain/lateness.ts';
import { recipientTexts, type StatusTexts } from '../../domain/recipient-texts.ts';
import { shownStatus, statusWord } from '../../domain/status-words.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Result, streamFormats, streamResult, textResult } from '../kit/result/result.ts';
import { isLocalLink, trackingHost } from '../nouns/delivery.ts';
import { deliveryWord, findDelivery } from '../nouns/find-delivery.ts';
import { type Context, defineCommand, isOwnService, positional } from '../session/command.ts';
import { openPage, serveLocally } from './serve/run-server.ts';

export const track = defineCommand({
  name: 'track',
  summary: "Show the recipient's tracking page of a delivery",
  description: [
    'Prints the link of the tracking page. For the embedded service the page is served on this machine only, until',
    'Ctrl+C. --text prints one message and ends: the store, the link, and the expected time or, as the page says it, what',
    'became of the delivery.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    open: switchFlag({ summary: 'Open it in the browser' }),
    text: switchFlag({ summary: 'Print a sentence with the link, to paste into a message' }),
  },
  examples: [
    { command: 'waybill track DELIVERY', summary: 'Print its link' },
    { command: "waybill track '#1042' --open", summary: 'Open it in the browser' },
    { command: "waybill track '#1042' --text", summary: 'Print a message to send to the recipient' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: ['deliveries.getDetailed', 'deliveries.listDetailed', 'orders.get'],
  answers: ({ lines, object, one }) => [
    lines(object({ type: '"ready"', url: 'string', tracking_url: 'string' })),
    one(object({ text: 'string' }), 'with --text'),
  ],
  related: ['deliveries watch', 'deliveries get'],
  async run(context, { flags, positionals }) {
    const delivery = await followed(
      context,
      await findDelivery(context, positionals.delivery, { prefersActive: true }),
    );
    const { id, tracking_url } = delivery;
    if (tracking_url === '')
      throw new Failure(
        5,
        'record_not_found',
        isOwnService(context)
          ? `${id} has no tracking link, for example because its personal data was erased.`
          : `${id} has no tracking link: the service has not given one.`,
      );
    if (flags.text) return messageResult(context, delivery, flags);
    return streamResult(serveTracking(context, tracking_url, flags), ({ url }: Ready) => url);
  },
});

/** The delivery that is under way for the order of one that failed or was canceled, as its tracking page follows it. */
async function followed(context: Context, found: DetailedDelivery): Promise<DetailedDelivery> {
  const { id, order_id } = found;
  if (!hasEndedBadly(found.status) || order_id === '') return found;
  const client = await context.client();
  const order = await ifSupported(unlessMissing(client.orders.get({ params: { order_id } })), null);
  const deliveryid = order?.data.delivery_id ?? id;
  if (deliveryid === id) return found;
  if (!context.output.json)
    context.note(`Using ${deliveryid}: ${id} (${statusWord(shownStatus(found))}) was sent again.`);
  return (await client.deliveries.getDetailed({ params: { deliveryid } })).data;
}

/** A message for the recipient; warns if its link works on this machine only. */
function messageResult(context: Context, delivery: AnyDelivery, { open }: { open: boolean }): Result {
  if (open) throw new UsageError('--text cannot be combined with --open.');
  const message = recipientMessage(delivery, context.serviceNow());
  const serve = invocation('serve', [], { 'public-url': 'URL' });
  const local = phrase`The link works on this machine only: recipients need a service at an https address, \`${serve}\`.`;
  return textResult(message, { notes: isLocalLink(delivery.tracking_url) ? [local] : [] });
}

/** The output of `track` when the page is available. */
interface Ready {
  type: 'ready';
  /** The current URL of the page. */
  url: string;
  /** The URL in the delivery; it differs if another port was used, or if the page is reached from outside. */
  tracking_url: string;
}

/** Prints one line; on the embedded service it then runs until a signal. */
async function* serveTracking(
  context: Context,
  tracking_url: string,
  { open }: { open: boolean },
): AsyncGenerator<Ready> {
  const { target } = context.settings;
  if (target.kind === 'http') {
    yield { type: 'ready', url: tracking_url, tracking_url };
    if (open) await openPage(context, tracking_url);
    return;
  }
  for await (const server of serveLocally(context, target.file)) {
    const url = server.url + tracking_url.slice(tracking_url.lastIndexOf('/track/'));
    context.setInterruptionText('The page is no longer served. The delivery continues.');
    yield { type: 'ready', url, tracking_url };
    if (!context.output.json) {
      if (url !== tracking_url && isLocalLink(tracking_url)) context.note(otherPortText(tracking_url));
      context.note('Serving on this machine only. Press Ctrl+C to stop.');
    }
    if (open) await openPage(context, url);
  }
}

/** The message if the page's URL differs from the delivery's; with JSON both are in the output line. */
function otherPortText(tracking_url: string): string {
  const why = `Another program uses port ${trackingHost.port}, so the record's tracking_url does not work`;
  return `${why} (${tracking_url}): use the address above while this command runs.`;
}

/**
 * A message for the recipient: `Your delivery from Grill is expected about 6:40 PM CST. Follow it: https://…`, without a
 * length of time, which is wrong once the message is read. While no time is ahead, and once the delivery has ended or
 * goes back, it says what the tracking page says.
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
