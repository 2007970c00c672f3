import { batchFailOn, batchGoalOf, windowAndMore } from '../../batches/batch-waiting-flags.ts';
import { type Context, defineCommand, positional } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { choice, flag, integer } from '../../line/flags.ts';
import { idlessFormats } from '../../line/globals.ts';
import { type AutoValues, autoFlags, settingsOf } from '../../orders/auto-flags.ts';
import { flagsOfSettings } from '../../orders/auto-words.ts';
import { simulateFlag } from '../../orders/order-sources.ts';
import { checkWaiting, paceFlags, typedWaiting, waitFlag } from '../../waiting/waiting-flags.ts';

export const importing = defineCommand({
  name: 'import',
  summary: 'Create the orders of a file of any size: CSV, NDJSON or JSON',
  description: [
    'A CSV file names in its first line the fields of an order: pickup_address, dropoff_name, external_order_ref, in',
    'any case and order; columns that no order has are ignored. NDJSON has an order on each line; JSON is an array of',
    'orders, up to 64 MiB. Amounts (order_value, tip) are whole cents. What is delivered is items_description, or items as JSON, or item_name with item_quantity and',
    'item_size.',
    '',
    'Every row is checked before anything is sent. Then the file FILE.waybill-journal says what was sent and made: an',
    'import that was stopped or killed goes on with --resume, and nothing is made twice. At the end FILE.ok.csv has the',
    'ids, FILE.failed.csv the rows that failed, with reasons; then the exit code is 10.',
    '',
    'Without --auto each order is created for manual dispatch, in a request of its own; with it they go in batches of',
    'up to 300. --wait ends with 0 once all of them are dispatched, with 9 where none was, with 10 where some were not,',
    'and with 8 when time ran out; --resume --wait goes on waiting.',
  ].join('\n'),
  positionals: { file: positional('file', { summary: 'The file' }) },
  flags: {
    format: choice({
      choices: ['csv', 'ndjson', 'json'],
      summary: 'What the file holds, where its ending does not say so',
    }),
    validateOnly: flag({ summary: 'Check every row, send nothing' }),
    resume: flag({ summary: 'Go on with an import that was stopped' }),
    restart: flag({ summary: 'Begin anew: every order is made again' }),
    concurrency: integer({ default: 4, minimum: 1, maximum: 16, summary: 'Requests under way at once' }),
    simulate: simulateFlag,
    ...autoFlags,
    wait: waitFlag('With --auto: wait until every batch is complete; the exit code says what became of it'),
    ...{ failOn: batchFailOn, ...paceFlags(windowAndMore) },
  },
  examples: [
    {
      command: 'waybill orders import orders.csv --auto --max-cost 12.50',
      summary: 'Create and dispatch them',
    },
    { command: 'waybill orders import orders.csv --validate-only', summary: 'Look for mistakes first' },
    { command: 'waybill orders import orders.csv --resume', summary: 'Go on after a stop' },
    { command: 'waybill orders import orders.csv --auto --wait', summary: 'Until every order is settled' },
  ],
  effect: 'write',
  confirms: true,
  formats: idlessFormats,
  async run(context, { flags, positionals }) {
    const { validateOnly, resume, restart, concurrency, simulate } = flags;
    if ([validateOnly, resume, restart].filter(Boolean).length > 1)
      throw new UsageError('Give one of --validate-only, --resume and --restart.');
    checkWaiting(context, { wait: flags.wait });
    const settings = settingsOf(context, flags);
    const { sourceOf } = await import('../../imports/source.ts');
    const { format } = flags;
    const typed = typedFlags(context, flags);
    const source = sourceOf(positionals.file, context.host.folder, { format, typed });
    const { importOrders } = await import('../../imports/importing.ts');
    const simulation = simulate ?? null;
    const { fail_on } = batchGoalOf({ failOn: flags.failOn });
    const wait = flags.wait ? { fail_on, timeout_ms: flags.timeout, interval_ms: flags.interval } : null;
    const request = { wait, source, settings, simulation, concurrency, validateOnly, resume, restart };
    return importOrders(context, request);
  },
});

interface Values extends AutoValues {
  format: string | undefined;
  concurrency: number;
  simulate: string | undefined;
  wait: boolean;
  failOn: { text: string } | null;
  timeout: number | undefined;
  interval: number | undefined;
}

/** What was typed that the next command needs as well; what the environment says it has. */
function typedFlags(context: Context, { format, concurrency, simulate, wait, ...values }: Values) {
  const { idempotencyKey } = context.asked;
  const { failOn, timeout, interval, ...auto } = values;
  const settings = settingsOf(context, auto) ?? {};
  const waiting = { wait, ...typedWaiting(context, { failOn, timeout, interval }) };
  const flags = { ...waiting, ...flagsOfSettings(settings), format, concurrency, simulate, idempotencyKey };
  const isGiven = (flag: [string, Value | undefined]): flag is [string, Value] =>
    flag[1] !== undefined && context.isTyped(flag[0]);
  return Object.fromEntries(Object.entries<Value | undefined>(flags).filter(isGiven));
}

type Value = string | number | boolean;
