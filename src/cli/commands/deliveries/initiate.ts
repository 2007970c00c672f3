/** `deliveries initiate`: dispatches what was created without a courier. The consent is also that of `deliveries create`. */
import type { AnyDelivery, Delivery } from '../../../contract/deliveries.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { dollars } from '../../../domain/money.ts';
import { statusPhrase } from '../../../domain/status-words.ts';
import { lateOkField, lateOkFlag } from '../../flow/agreed-quote.ts';
import {
  confirmSpending,
  limitWithoutTip,
  maxCostFlag,
  requireLimits,
  warnOfHighLimit,
} from '../../flow/price-limits.ts';
import { textFlag } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import {
  createdOrArrived,
  creation,
  deliveryNow,
  unknownQuote,
  warnOfReplacement,
} from '../../nouns/delivery-creation.ts';
import { arrivalFlags } from '../../nouns/delivery-targets.ts';
import { changedWord, findDelivery, foundBy } from '../../nouns/find-delivery.ts';
import { duplicateRefFlag } from '../../nouns/order-checks.ts';
import { type Context, defineCommand, isOwnService, positional } from '../../session/command.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';

export const initiate = defineCommand({
  name: 'initiate',
  aliases: ['send', 'start'],
  summary: 'Dispatch a courier for a stored delivery request',
  description: [
    `${foundBy} An expired quote is replaced by a new one, with a warning, unless that is above --max-cost: then nothing`,
    'is dispatched, and the exit code is 6. It is 9 if the delivery failed. In live mode the price must be confirmed at a',
    'prompt, or with --yes and --max-cost. --wait works as in deliveries wait.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: changedWord, statuses: ['request'] }) },
  flags: {
    quote: textFlag({
      summary: 'Quote to use (default: the one it was created with)',
      placeholder: 'QUOTE',
      aliases: ['quote-id'],
    }),
    maxCost: maxCostFlag(),
    lateOk: lateOkFlag(),
    allowDuplicateRef: duplicateRefFlag,
    ...arrivalFlags,
    ...paceFlags('30m'),
  },
  examples: [
    {
      command: 'waybill deliveries initiate DELIVERY --max-cost 12.50',
      summary: 'Dispatch it for at most $12.50',
    },
    {
      command: 'waybill deliveries initiate DELIVERY --quote QUOTE --max-cost 12.50',
      summary: 'Use another quote',
    },
    {
      command: 'waybill deliveries initiate DELIVERY --max-cost 12.50 --wait delivered --timeout 1h',
      summary: 'Dispatch and wait until it arrives',
    },
  ],
  effect: 'write',
  confirms: true,
  confirmsWhen: 'in live mode',
  ...creation,
  errors: [...creation.errors, 'above_max_cost', 'too_late'],
  calls: ['deliveries.initiate', 'deliveries.getDetailed'],
  answers: ({ one }) => [one('deliveries.initiate')],
  related: ['deliveries create', 'deliveries watch', 'deliveries wait'],
  async run(context, { flags, positionals }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const before = await findDelivery(context, positionals.delivery, { changes: true });
    const { dryRun, idempotencyKey } = context.globals;
    // The service answers a known key with its first response, even if the status has changed since.
    if (dryRun && idempotencyKey === undefined && before.status !== 'request') throw notStored(before);
    const max_cost = limitWithoutTip(flags.maxCost, before.tip ?? 0);
    const expected_price = flags.quote === undefined ? chargeOf(before) : 0;
    await agreeToInitiate(context, { deliveries: [before], max_cost: flags.maxCost, expected_price });
    const client = await context.client();
    const answer = await client.deliveries
      .initiate({
        params: { deliveryid: before.id },
        body: {
          ...withoutAbsent({ quote_id: flags.quote, max_cost }),
          ...lateOkField(context, flags.lateOk),
          ...(!flags.allowDuplicateRef && isOwnService(context) && { unique_ref: true }),
        },
        idempotencyKey: context.idempotencyKey(),
      })
      .catch((error: unknown) => {
        throw unknownQuote(error);
      });
    const data = await deliveryNow(context, answer);
    const quote_id = flags.quote ?? before.quote_id;
    const expected = { quote_id, fee: quote_id === before.quote_id ? before.fee : null };
    warnOfReplacement(context, expected, data);
    await warnOfHighLimit(context, flags.maxCost, chargeOf(data));
    return createdOrArrived(context, data, flags, expected);
  },
});

/** The refusal of the service, for a dry run. */
function notStored({ id, status }: AnyDelivery): Failure {
  const message = `Delivery ${id} is ${statusPhrase(status)}: only a delivery in status request can be initiated.`;
  const next = [{ ...invocation('deliveries explain', [id]), when: 'see its status' }];
  return new Failure(6, 'delivery_not_initiable', message, { next });
}

/** Deliveries to dispatch with a quote that the service selects. */
interface Dispatch {
  deliveries: readonly unknown[];
  max_cost: number | undefined;
  /** In cents; 0 if it is not known. */
  expected_price?: number;
}

/** Has a dispatch confirmed whose quote the service selects; in live mode --yes needs a maximum. */
export async function agreeToInitiate(
  context: Context,
  { deliveries, max_cost, expected_price = 0 }: Dispatch,
): Promise<void> {
  if (deliveries.length === 0) return;
  requireLimits(context, max_cost);
  const count = deliveries.length === 1 ? 'a delivery' : `${deliveries.length} deliveries`;
  const each = deliveries.length === 1 ? '' : ' each';
  const anyPrice = expected_price > 0 ? `for about ${dollars(expected_price)}` : 'at any price';
  const price = max_cost === undefined ? anyPrice : `for up to ${dollars(max_cost)}${each}`;
  await confirmSpending(context, max_cost, async () => `Dispatch ${count} ${price}`);
}

/** The total cost of a delivery, in cents. */
export function chargeOf({ payment_amount, tip }: Delivery): number {
  return payment_amount + (tip ?? 0);
}
