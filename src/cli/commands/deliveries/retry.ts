import { quotePreferences } from '../../../contract/vocabulary.ts';
import { choice, money, text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { arrivalFlags } from '../../nouns/delivery-waiting.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { confirmSpending } from '../../session/confirm-spending.ts';
import { checkProvider } from '../../session/known-providers.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';
import { bulkText, checkSelection, isBulk, selectionFlags } from './bulk/bulk-ids.ts';
import { choiceOf, getRetryTerms, type RetryChoice, retryPriceText } from './retry-terms.ts';

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
    provider: text({
      summary: 'Only use this provider (default: not one that ended an earlier attempt badly)',
      placeholder: 'PROVIDER',
    }),
    not: text({
      summary: 'Do not use this provider',
      placeholder: 'PROVIDER',
      aliases: ['exclude-provider'],
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
      command: 'waybill deliveries retry DELIVERY --not swiftly',
      summary: 'Retry with any other courier',
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
      await checkProviders(context, flags);
      const { preference, provider, not, maxCost } = flags;
      const isWhere = flags.where !== undefined;
      return runBulk(context, flags, bulkRetry(context, { preference, provider, not, maxCost, isWhere }));
    }
    checkWaiting(context, { wait: flags.wait !== null });
    await checkProviders(context, flags);
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    await agreeToRetry(context, deliveryid, flags);
    const client = await context.client();
    const { data } = await client.deliveries.retry({
      params: { deliveryid },
      body: choiceOf(flags),
      idempotencyKey: context.idempotencyKey(),
    });
    const { createdOrArrived } = await import('../../nouns/delivery-waiting.ts');
    return createdOrArrived(context, data, flags);
  },
});

async function checkProviders(context: Context, { provider, not }: RetryChoice): Promise<void> {
  await checkProvider(context, provider);
  await checkProvider(context, not);
  if (provider !== undefined && provider === not)
    throw new UsageError(`--provider and --not both name ${provider}.`);
}

/** Prints what is charged so far and what the retry costs; in live mode it must be confirmed. */
async function agreeToRetry(context: Context, id: string, choice: RetryChoice): Promise<void> {
  if (context.globals.dryRun) return;
  const terms = await getRetryTerms(context, id, choice);
  const text = terms?.retryable ? retryPriceText(terms) : null;
  if (text !== null && !context.output.json) context.note(text);
  await confirmSpending(context, choice.maxCost, async () => `Retry ${id}`);
}
