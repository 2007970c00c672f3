/** `orders import`: its flags. What it does with a file is in the folder `import`. */
import type { OrderSettings } from '../../../contract/orders.ts';
import { choiceFlag, integerFlag, listFlag, switchFlag, textFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { InvocationFlags } from '../../kit/result/message.ts';
import { idlessFormats } from '../../kit/result/result.ts';
import { listOf, object } from '../../kit/result/shape.ts';
import { batchErrors, batchFailOn, toBatchTarget, windowAndMore } from '../../nouns/batch-waiting.ts';
import { findStoreId } from '../../nouns/find-by-name.ts';
import { simulateFlag } from '../../nouns/order-input.ts';
import { type Context, defineCommand, type FlagValues, positional } from '../../session/command.ts';
import { checkWaiting, paceFlags, typedWaiting, waitFlag } from '../../waiting/waiting-flags.ts';
import { autoDispatchSettings, autoFlags, flagsOfSettings } from './auto-dispatch.ts';

const readExamples = object({
  rows: 'integer',
  examples: listOf(object({ line: 'integer', field: 'string', from: 'string', to: 'string' })),
});
const repeatedShape = listOf(object({ line: 'integer', same_as: 'integer', what: 'order | reference' }));
const similarShape = listOf(
  object({
    line: 'integer',
    same: listOf('dropoff_name | dropoff_phone_number'),
    external_order_ref: 'string',
    order_id: 'string',
    order_external_order_ref: 'string',
  }),
);
/** The rows that were read as given, otherwise than given, and by a guess. */
const readRows = object({ as_given: 'integer', changed: readExamples, guessed: readExamples });

const importFlags = {
  format: choiceFlag({
    choices: ['csv', 'ndjson', 'json'],
    summary: 'File format, if the extension does not show it',
  }),
  preset: choiceFlag({
    choices: ['shopify', 'square', 'squarespace', 'woocommerce'],
    summary: "Read this system's export of orders; with woocommerce also JSON of its REST interface",
  }),
  status: listFlag({
    summary: 'With --preset: also import orders of this status',
    placeholder: 'STATUS',
  }),
  only: listFlag({
    summary: 'Import only orders with this value in a column; several of one column are alternatives',
    placeholder: 'COLUMN=VALUE',
  }),
  map: listFlag({
    summary: 'Read a column as a field of an order, or a file with such lines',
    placeholder: 'HEADER=FIELD',
  }),
  set: listFlag({
    summary: 'Value of a field for orders that have none: in empty cells, or without a column',
    placeholder: 'FIELD=VALUE',
  }),
  dateAttribute: listFlag({
    summary: 'With --preset: attribute of orders that holds the date or time of the delivery',
    placeholder: 'NAME',
  }),
  oneOrderPerRow: switchFlag({
    summary: 'Make an order of each row, instead of one of the rows with the same reference and recipient',
  }),
  allowDuplicateRef: switchFlag({ summary: 'Also create orders whose references are in use' }),
  recreateCanceled: switchFlag({ summary: 'Also create orders whose references are those of canceled ones' }),
  store: textFlag({
    summary: 'Saved pickup location, by ID or name, of the orders that name none',
    placeholder: 'STORE',
    aliases: ['pickup-store-id'],
  }),
  skipInvalid: switchFlag({ summary: 'Send the other rows if some cannot be sent; the exit code is 10' }),
  validateOnly: switchFlag({ summary: 'Check every row without sending anything', aliases: ['check'] }),
  resume: switchFlag({ summary: 'Continue an interrupted import, or start if there is none' }),
  restart: switchFlag({ summary: 'Start over, whatever an earlier import of the file has sent' }),
  concurrency: integerFlag({ default: 4, minimum: 1, maximum: 16, summary: 'Number of concurrent requests' }),
  simulate: simulateFlag,
  ...autoFlags,
  wait: waitFlag('With --auto: wait until every batch is complete; the exit code shows the result'),
  failOn: batchFailOn,
  ...paceFlags(windowAndMore),
};

export const importing = defineCommand({
  name: 'import',
  summary: 'Import orders from a CSV, NDJSON or JSON file',
  description: [
    'The first line of a CSV file names order fields: pickup_address, dropoff_name, external_order_ref and so on, in',
    'any case and order; other columns are ignored. Values may also be separated by semicolons, tabs or bars. --preset',
    'reads the export of a shop system, --map columns with other names: of a name, an address, or its parts',
    '(dropoff_street, dropoff_city, dropoff_state, dropoff_zip, dropoff_country). --set gives orders a value that the',
    'file lacks. Rows that follow each other and have the same reference and recipient are one order. NDJSON has one',
    'order per line; JSON is an array of orders, up to 64 MiB. Amounts are cents; in CSV, order_value and tip are',
    'dollars (4.50), order_value_cents and tip_cents cents, order_value_dollars and tip_dollars also whole dollars.',
    'Items are items_description, or items as JSON, or item_name with item_quantity and item_size.',
    '',
    'An order whose external_order_ref is in use (for 30 days, unless it ended badly) is not created again: with the',
    'same recipient it is counted as there already, with another one it fails; --allow-duplicate-ref creates it. That of a',
    'canceled order fails, too: --recreate-canceled creates it again.',
    '',
    'Every row is checked before anything is sent; --skip-invalid sends the good ones. Progress is saved in FILE.waybill-journal: after an interruption,',
    '--resume continues without creating duplicates. When done, FILE.ok.csv has the IDs and FILE.failed.csv the',
    'failed rows with reasons; the exit code is 10 if any row failed.',
    '',
    'Up to 300 orders are sent at a time, without --auto for manual dispatch, with it as a batch. With --wait the',
    'exit code is 0 if every order was dispatched, those there already too, 9 if none was, 10 if some were not, and 8',
    'after a timeout; --resume --wait continues waiting.',
  ].join('\n'),
  positionals: { file: positional('file', { summary: 'Path of the file' }) },
  flags: importFlags,
  examples: [
    {
      command: 'waybill orders import orders.csv --auto --max-cost 12.50',
      summary: 'Import and dispatch',
    },
    { command: 'waybill orders import orders.csv --validate-only', summary: 'Check for errors first' },
    {
      command: 'waybill orders import orders_export.csv --preset shopify --store STORE',
      summary: "Import Shopify's export",
    },
    {
      command: 'waybill orders import tonight.csv --map shop.map --store STORE',
      summary: 'Read columns with other names',
    },
    { command: 'waybill orders import orders.csv --resume', summary: 'Continue after an interruption' },
    {
      command: 'waybill orders import orders.csv --auto --max-cost 12.50 --wait',
      summary: 'Wait until every order has an outcome',
    },
  ],
  effect: 'write',
  confirms: true,
  confirmsWhen: 'of --auto in live mode',
  formats: idlessFormats,
  calls: [
    ...(['orders.create', 'orders.createMany', 'orders.get', 'orders.list'] as const),
    ...(['batches.get', 'batches.list', 'stores.list'] as const),
  ],
  answers: ({ one, orNull }) => [
    one(
      object({
        object: '"import"',
        file: 'string',
        rows: 'integer',
        made: 'integer',
        there_already: 'integer',
        failed: 'integer',
        mode: 'test | live',
        batch_ids: listOf('string'),
        'counts?': object({
          pending: 'integer',
          dispatched: 'integer',
          unfulfilled: 'integer',
          failed: 'integer',
          canceled: 'integer',
        }),
        'undispatched?': listOf(
          object({
            order_id: 'string',
            external_order_ref: 'string',
            status: 'string',
            attempts: 'integer',
            reason: 'string',
          }),
        ),
        ok_file: 'string',
        'repeated?': repeatedShape,
        'created_again?': orNull('integer'),
        'similar_count?': orNull('integer'),
        'similar?': orNull(similarShape),
        'read?': readRows,
        failed_file: orNull('string'),
        journal_file: 'string',
      }),
    ),
    one(
      object({
        object: '"import_check"',
        file: 'string',
        rows: 'integer',
        there_already: orNull('integer'),
        there: listOf(object({ line: 'integer', external_order_ref: 'string', order_id: 'string' })),
        tip: 'integer',
        order_value: 'integer',
        left_out: listOf(object({ reason: 'string', orders: 'integer', example: 'string' })),
        repeated: repeatedShape,
        created_again: orNull('integer: references of orders that were canceled or failed'),
        similar_count: orNull('integer: rows that are like a recent order'),
        similar: orNull(similarShape),
        invalid: 'integer',
        read: readRows,
      }),
      'with --validate-only',
    ),
  ],
  exits: {
    9: 'with --wait: no order was dispatched',
    10: 'some rows failed, listed with reasons in FILE.failed.csv; with --wait: some were not dispatched',
  },
  errors: [
    'bad_rows',
    'rows_failed',
    'import_begun',
    'import_running',
    'import_differs',
    'journal_damaged',
    'file_unwritable',
    ...batchErrors,
  ],
  related: ['orders create', 'batches get', 'orders list'],
  async run(context, { flags, positionals }) {
    const { validateOnly, resume, restart, concurrency, format, preset = null } = flags;
    if ([validateOnly, resume, restart].filter(Boolean).length > 1)
      throw new UsageError('Use only one of --validate-only, --resume and --restart.');
    checkWaiting(context, { wait: flags.wait });
    const settings = autoDispatchSettings(context, flags);
    const { readColumnMap, readColumnValues, sourceOf } = await import('./import/source.ts');
    const store = flags.store === undefined ? null : await findStoreId(context, flags.store);
    const { folder } = context.host;
    const { readSetValues } = await import('./import/reading/complete-rows.ts');
    const layout = {
      set: readSetValues(flags.set),
      dateAttributes: flags.dateAttribute,
      preset,
      map: readColumnMap(flags.map, folder),
      store,
      only: readColumnValues(flags.only),
      statuses: flags.status,
      isOrderPerRow: flags.oneOrderPerRow,
    };
    const typed = typedFlags(context, flags, settings);
    const source = sourceOf(positionals.file, folder, { format, layout, typed });
    const { importOrders } = await import('./import/start-or-resume.ts');
    const { fail_on } = toBatchTarget(flags);
    const wait = flags.wait ? { fail_on, timeout_ms: flags.timeout, interval_ms: flags.interval } : null;
    return importOrders(context, {
      source,
      settings,
      simulation: flags.simulate ?? null,
      concurrency,
      validateOnly,
      resume,
      restart,
      allowDuplicateRef: flags.allowDuplicateRef,
      recreateCanceled: flags.recreateCanceled,
      skipInvalid: flags.skipInvalid,
      wait,
    });
  },
});

/** The flags of a file that a suggested command repeats, in the order in which it has them. */
const repeatedFlags = [
  ...(['format', 'preset', 'status', 'only', 'map', 'set', 'dateAttribute', 'oneOrderPerRow'] as const),
  ...(['skipInvalid', 'allowDuplicateRef', 'recreateCanceled', 'store', 'concurrency', 'simulate'] as const),
];

/** The typed flags that the suggested command needs too; values from the environment still apply. */
function typedFlags(
  context: Context,
  values: FlagValues<typeof importFlags>,
  settings: OrderSettings | null,
): InvocationFlags {
  const flags: InvocationFlags = {
    wait: values.wait,
    ...typedWaiting(context, values),
    ...flagsOfSettings(settings ?? {}),
    ...Object.fromEntries(repeatedFlags.map((name) => [name, values[name]])),
    idempotencyKey: context.globals.idempotencyKey,
  };
  const isTyped = (name: string) =>
    context.isTyped(name) || (name === 'auto' && context.isTyped('mechanism'));
  return Object.fromEntries(Object.entries(flags).filter(([name]) => isTyped(name)));
}
