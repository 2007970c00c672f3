import { quotePreferences } from '../../../contract/vocabulary.ts';
import { choice, money } from '../../kit/args/flags.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { confirmSpending } from '../../session/confirm-spending.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';
import { defined } from '../orders/order-flags.ts';
import { bulkText, checkSelection, isBulk, selectionFlags } from './bulk/bulk-ids.ts';
import { arrivalFlags } from './delivery-waiting-flags.ts';
import { deliveryWord, findDeliveryId, foundBy } from './find-delivery.ts';
import { getRetryTerms, type RetryChoice, retryPriceText } from './retry-terms.ts';

export const retry = defineCommand({
  name: 'retry',
  aliases: ['again', 'redeliver'],
  summary: 'Retry a failed or canceled delivery with fresh quotes',
  description: [
    `${foundBy} Creates a new delivery; the previous one does not change. What is charged so far and what the retry`,
    'costs is printed first. In live mode the price must be confirmed at a prompt, or with --yes and --max-cost. The',
    'exit code is 6 if every quote is above --max-cost (nothing is changed), and 9 if the new delivery fails too.',
    '--wait works as in deliveries wait.',
    '',
    bulkText,
  ].join('\n'),
  positionals: {
    delivery: positional('delivery', {
      summary: deliveryWord,
      optional: (given) => given.has('from') || given.has('where'),
    }),
  },
  flags: {
    preference: choice({
      choices: quotePreferences,
      default: 'cheapest',
      summary: 'How to select a quote',
      aliases: ['quote-preference'],
    }),
    maxCost: money({ summary: 'Maximum total in dollars (cost + fee, without the tip), such as 12.50' }),
    ...selectionFlags(['failed', 'provider_canceled', 'burq_canceled']),
    ...{ ...arrivalFlags, ...paceFlags('30m') },
  },
  examples: [
    { command: 'waybill deliveries retry DELIVERY', summary: 'Retry with the cheapest courier' },
    {
      command: 'waybill deliveries retry DELIVERY --preference fastest',
      summary: 'Retry with the fastest courier',
    },
    {
      command: 'waybill deliveries retry --where failed,provider_canceled --max-cost 100',
      summary: 'Retry what failed, up to $100.00 in all',
    },
    {
      command: 'waybill deliveries retry DELIVERY --wait delivered',
      summary: 'Retry and wait until it arrives',
    },
  ],
  effect: 'write',
  confirms: true,
  async run(context, { flags, positionals }) {
    if (positionals.delivery === undefined || isBulk(flags)) {
      checkSelection(flags, {
        'A delivery': positionals.delivery !== undefined,
        '--wait': flags.wait !== null,
      });
      const { bulkRetry } = await import('./bulk/bulk-retry.ts');
      const { runBulk } = await import('./bulk/run-bulk.ts');
      const { preference, maxCost } = flags;
      const isWhere = flags.where !== undefined;
      return runBulk(context, flags, bulkRetry(context, { preference, maxCost, isWhere }));
    }
    checkWaiting(context, { wait: flags.wait !== null });
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    await agreeToRetry(context, deliveryid, flags);
    const client = await context.client();
    const { data } = await client.deliveries.retry({
      params: { deliveryid },
      body: { quote_preference: flags.preference, ...defined({ max_cost: flags.maxCost }) },
      idempotencyKey: context.idempotencyKey(),
    });
    const { createdOrArrived } = await import('./await-arrival.ts');
    return createdOrArrived(context, data, flags);
  },
});

/** Prints what is charged so far and what the retry costs; in live mode it must be confirmed. */
async function agreeToRetry(context: Context, id: string, choice: RetryChoice): Promise<void> {
  if (context.globals.dryRun) return;
  const terms = await getRetryTerms(context, id, choice);
  const text = terms?.retryable ? retryPriceText(terms) : null;
  if (text !== null && !context.output.json) context.note(text);
  await confirmSpending(context, choice.maxCost, async () => `Retry ${id}`);
}
