/**
 * `deliveries retry`. One: what it costs (`flow/retry-terms.ts`) is printed, agreed to, and sent. Several
 * (`retry-several.ts`): `runBulk` gets the price of each, asks once about the total, and sends them in sequence.
 */
import type { Answer } from '../../../client/answers.ts';
import { refusedWith } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { quotePreferences } from '../../../contract/vocabulary.ts';
import { canceledStatuses, isEnded } from '../../../domain/delivery-states.ts';
import { dollars } from '../../../domain/money.ts';
import { confirmSpending, maxCostFlag, requireLimits, warnOfHighLimit } from '../../flow/price-limits.ts';
import {
  aboveMaxCost,
  notRetryable,
  type RetryChoice,
  retryBody,
  retryPrice,
  retryPriceText,
  termsWithin,
} from '../../flow/retry-terms.ts';
import { choiceFlag, namesFlag, switchFlag, textFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import { readUnreturnedText } from '../../nouns/courier-contact.ts';
import { createdOrArrived, creation, deliveryNow } from '../../nouns/delivery-creation.ts';
import { arrivalFlags } from '../../nouns/delivery-targets.ts';
import { fetchEarlier } from '../../nouns/earlier-tries.ts';
import { checkProvider, driverFlag, findNextDriver } from '../../nouns/find-by-name.ts';
import { foundBy } from '../../nouns/find-delivery.ts';
import { duplicateRefFlag } from '../../nouns/order-checks.ts';
import { simulatedTryText } from '../../nouns/simulated-end.ts';
import { type Context, defineCommand, isOwnService } from '../../session/command.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';
import { runBulk } from './bulk.ts';
import { bulkShape } from './bulk-rows.ts';
import {
  bulkText,
  checkNarrowing,
  checkSelection,
  findOne,
  isBulk,
  oneOrSelection,
  selectionFlags,
} from './bulk-selection.ts';
import { bulkRetry } from './retry-several.ts';

/** The values of `--where`. */
const wheres = ['failed', 'provider_canceled', 'burq_canceled'] as const;

export const retry = defineCommand({
  name: 'retry',
  aliases: ['again', 'redeliver'],
  summary: 'Retry a failed or canceled delivery with fresh quotes',
  description: [
    `${foundBy} Creates a new delivery; the previous one does not change. What is charged so far and what the retry`,
    'costs is printed first; --price shows only that, and what each courier would cost. In live mode the price must be',
    'confirmed at a prompt, or with --yes and --max-cost. The exit code is 6 if every quote is above --max-cost (nothing',
    'is changed), and 9 if the new delivery fails too.',
    'If it was picked up before, as somebody may still have the parcel, it asks, or needs --yes, also in test mode.',
    '--wait works as in deliveries wait.',
    '',
    bulkText,
    'Without a period --where means the deliveries created today.',
  ].join('\n'),
  positionals: { delivery: oneOrSelection(['failed', ...canceledStatuses]) },
  flags: {
    preference: choiceFlag({
      choices: quotePreferences,
      default: 'cheapest',
      summary: 'How to select a quote',
      aliases: ['quote-preference'],
    }),
    provider: textFlag({
      summary:
        'Only use this provider (default: one that ended an earlier attempt badly only if no other can)',
      placeholder: 'PROVIDER',
    }),
    not: namesFlag({
      summary: 'Do not use these providers: a,b, also repeated',
      placeholder: 'PROVIDER',
      aliases: ['exclude-provider', 'exclude'],
    }),
    driver: driverFlag(),
    allowDuplicateRef: duplicateRefFlag,
    maxCost: maxCostFlag(),
    price: switchFlag({
      summary: 'Only show what it costs now, and with which courier: nothing is sent',
      aliases: ['quotes', 'quote', 'dry-price'],
    }),
    ...selectionFlags(wheres),
    ...arrivalFlags,
    ...paceFlags('30m'),
  },
  meantByWord: (_, [delivery = 'DELIVERY', ...words]) => {
    const [, amount] = /^\$?(\d{1,3}(?:\.\d\d)?)$/.exec(words.join(' ')) ?? [];
    return amount === undefined ? null : invocation('deliveries retry', [delivery], { maxCost: amount });
  },
  examples: [
    {
      command: 'waybill deliveries retry DELIVERY --max-cost 12.50',
      summary: 'Retry with the cheapest courier, for at most $12.50',
    },
    {
      command: 'waybill deliveries retry DELIVERY --price --max-cost 12.50',
      summary: 'Only ask what that would cost, and with which courier',
    },
    {
      command: 'waybill deliveries retry DELIVERY --preference fastest --max-cost 12.50',
      summary: 'Retry with the fastest courier',
    },
    {
      command: 'waybill deliveries retry DELIVERY --not swiftly --max-cost 12.50',
      summary: 'Retry with any other courier',
    },
    {
      command: 'waybill deliveries retry DELIVERY --driver DRIVER --max-cost 12.50',
      summary: 'Give it to one of your own drivers',
    },
    {
      command: 'waybill deliveries retry --where failed,provider_canceled --max-cost 100',
      summary: 'Retry what failed today, up to $100.00 in all',
    },
    {
      command: 'waybill deliveries retry DELIVERY --max-cost 12.50 --wait delivered',
      summary: 'Retry and wait until it arrives',
    },
  ],
  effect: 'write',
  confirms: true,
  confirmsWhen: 'in live mode, after a pickup, and of several',
  ...creation,
  calls: [
    'deliveries.retry',
    'drivers.list',
    'drivers.get',
    'deliveries.retryTerms',
    'deliveries.getDetailed',
    'deliveries.listDetailed',
    'account.get',
    'orders.get',
    'batches.get',
    'charges.list',
  ],
  answers: (of) => [
    of.one('deliveries.retry'),
    of.one(
      of.withFields(
        { total_cost: of.orNull('integer'), order_max_cost: of.orNull('integer') },
        of.answerOf('deliveries.retryTerms'),
      ),
      'with --price',
    ),
    of.each(bulkShape(of), 'with --from or --where'),
  ],
  exits: { ...creation.exits, 10: 'some could not be retried, or failed at once' },
  errors: [...creation.errors, 'above_max_cost', 'no_quotes', 'some_not_changed'],
  related: ['deliveries explain', 'deliveries watch', 'deliveries wait'],
  async run(context, { flags, positionals }) {
    checkNarrowing(flags);
    if (positionals.delivery === undefined || isBulk(flags)) {
      checkSelection(flags, {
        'A delivery': positionals.delivery !== undefined,
        '--wait': flags.wait !== null,
        '--price': flags.price,
      });
      const quoteChoice = await readQuoteChoice(context, flags);
      return runBulk(context, flags, bulkRetry(context, quoteChoice, flags.where !== undefined));
    }
    checkWaiting(context, { wait: flags.wait !== null });
    const quoteChoice = await readQuoteChoice(context, flags);
    const deliveryid = await findOne(context, positionals.delivery, invocation('deliveries retry'), wheres);
    const client = await context.client();
    if (flags.price) return retryPrice(context, deliveryid, quoteChoice);
    await agreeAfterPickup(context, deliveryid);
    const tip = await agreeToRetry(context, deliveryid, quoteChoice);
    const idempotencyKey = context.idempotencyKey();
    const retry = (id: string, tipOfOrder: number) => {
      const body = retryBody(quoteChoice, tipOfOrder);
      return client.deliveries.retry({ params: { deliveryid: id }, body, idempotencyKey });
    };
    const answer = await retry(deliveryid, tip).catch((error: unknown) =>
      answerOfRepeat(context, error, { deliveryid, retry }),
    );
    const data = await deliveryNow(context, answer);
    if (answer.replayed) context.note(`${data.id} is the retry of an earlier run; nothing was sent twice.`);
    const simulated = simulatedTryText(data.dropoffs?.[0]?.dropoff_phone_number);
    if (simulated !== null && !isEnded(data.status)) context.note(`${data.id}: ${simulated}.`);
    return createdOrArrived(context, data, flags);
  },
});

/**
 * The answer to the same line again, with its key: the reference of the order now means the delivery that the first run
 * made, and the key belongs to the retry of one before it. Nothing can be sent with a key that is in use.
 */
async function answerOfRepeat(
  context: Context,
  error: unknown,
  { deliveryid, retry }: { deliveryid: string; retry(id: string, tip: number): Promise<Answer<Delivery>> },
): Promise<Answer<Delivery>> {
  const isRepeat = context.globals.idempotencyKey !== undefined;
  if (!isRepeat || !refusedWith(error, 'idempotency_key_reuse')) throw error;
  const client = await context.client();
  const { data: latest } = await client.deliveries.get({ params: { deliveryid } });
  for (const { id, tip } of await fetchEarlier(client, latest)) {
    const answer = await retry(id, tip ?? 0).catch((other: unknown) => {
      if (!refusedWith(other, 'idempotency_key_reuse')) throw other;
      return null;
    });
    if (answer !== null) return answer;
  }
  throw error;
}

type RetryChoiceFlags = Omit<RetryChoice, 'driver_id' | 'refusesDuplicateRef'> & {
  allowDuplicateRef: boolean;
};

/** Finds the driver. Throws UsageError for a provider that does not exist, and for flags that exclude each other. */
async function readQuoteChoice(
  context: Context,
  { preference, provider, not, driver, maxCost, allowDuplicateRef }: RetryChoiceFlags,
): Promise<RetryChoice> {
  await checkProvider(context, provider);
  for (const name of not) await checkProvider(context, name, '--not');
  if (provider !== undefined && not.includes(provider))
    throw new UsageError(`--provider and --not both name ${provider}.`);
  if (driver !== undefined && (provider !== undefined || not.length > 0))
    throw new UsageError(
      `--driver cannot be combined with ${provider === undefined ? '--not' : '--provider'}.`,
    );
  const driver_id = driver === undefined ? undefined : await findNextDriver(context, driver);
  await context.client();
  // Only waybill's own service knows unique_ref.
  const refusesDuplicateRef = !allowDuplicateRef && isOwnService(context);
  return { preference, provider, not, driver, maxCost, driver_id, refusesDuplicateRef };
}

/** Asks, also in test mode, if the parcel was picked up before, as another courier finds nothing at the pickup. */
async function agreeAfterPickup(context: Context, deliveryid: string): Promise<void> {
  if (context.globals.dryRun) return;
  const message = await readUnreturnedText(context, deliveryid);
  if (message === null) return;
  const next = { ...invocation('deliveries explain', [deliveryid]), when: 'see who picked it up' };
  if (context.globals.yes) context.warning('picked_up_before', message);
  else await context.confirm(`${message} Retry it?`, { next });
}

/**
 * Prints what is charged so far and what the retry costs, without --json; a dry run ends there. Then warns of a limit far
 * above the price, and in live mode has the price confirmed. Returns the tip of the retry.
 */
async function agreeToRetry(context: Context, id: string, quoteChoice: RetryChoice): Promise<number> {
  const { maxCost } = quoteChoice;
  const { dryRun, idempotencyKey } = context.globals;
  requireLimits(context, maxCost);
  // Null at a service that does not say what a retry costs.
  const terms = await termsWithin(context, id, quoteChoice);
  const { tip = 0, retryable, cost = null } = terms ?? {};
  if (terms?.retryable) {
    const isAbove = cost === null && terms.quotes.length > 0 && maxCost !== undefined;
    if (isAbove) throw aboveMaxCost(id, terms, quoteChoice);
    if (!context.output.json) context.note(retryPriceText(terms, maxCost));
  } else if (terms !== null && dryRun && idempotencyKey === undefined) {
    // The service answers a known key with its first response.
    throw notRetryable(terms);
  }
  if (dryRun) return tip;
  // The service refuses the retry: there is no price to name.
  if (retryable === false && (await context.mode()) === 'test') return tip;
  const price = retryable && cost !== null ? cost + tip : null;
  const ordersOf = async () => {
    const client = await context.client();
    return [(await client.deliveries.get({ params: { deliveryid: id } })).data.order_id];
  };
  if (price !== null) await warnOfHighLimit(context, maxCost, price, ordersOf);
  const about = price === null ? '' : ` for about ${dollars(price)}`;
  await confirmSpending(context, maxCost, async () => `Retry ${id}${about}`);
  return tip;
}
