/** `charges list`: of which deliveries charges are listed, and the sums below them. */
import type { Charge } from '../../contract/accounting.ts';
import type { Order } from '../../contract/orders.ts';
import { chargeKinds } from '../../contract/vocabulary.ts';
import { choicesFlag, textFlag } from '../kit/args/flags.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, isForPeople } from '../kit/result/result.ts';
import { addAmount, attemptNotes, kindNotes, type Sum, sumNotes } from '../nouns/charge-sums.ts';
import { findStoreId, storeFlag } from '../nouns/find-by-name.ts';
import { findDeliveryId } from '../nouns/find-delivery.ts';
import { findOrderId } from '../nouns/find-order.ts';
import { listFlagHints } from '../nouns/list-flag-hints.ts';
import { zoneOfStore } from '../nouns/order.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { createdFilters, createdFlags, createdQuery } from '../session/created-periods.ts';
import { shownZone } from '../session/list-view.ts';
import { listing, pagingFlags, periodPaging } from '../session/listing.ts';

const chargeColumns: readonly Column<Charge>[] = [
  { field: 'kind', header: 'Kind', kind: 'text' },
  { field: 'amount', header: 'Amount', kind: 'money' },
  { field: 'delivery_id', header: 'Delivery', kind: 'text', isFoundByEnd: true },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1 },
  { field: 'reason', header: 'Reason', kind: 'text', unlessEmpty: true },
  { field: 'external_order_ref', header: 'Ref', kind: 'text', unlessEmpty: true, spare: 2 },
  {
    field: 'store',
    header: 'Store',
    kind: 'text',
    only: 'people',
    wide: true,
    value: ({ store_name, store_id }) => store_name ?? store_id,
  },
  { field: 'store_id', header: 'Store ID', kind: 'text', only: 'programs', wide: true },
  { field: 'store_name', header: 'Store', kind: 'text', only: 'programs', wide: true },
  { field: 'service', header: 'Courier', kind: 'text', wide: true },
  { field: 'service_fee', header: 'Service fee', kind: 'money', wide: true },
  { field: 'currency', header: 'Currency', kind: 'text', only: 'programs' },
  { field: 'id', header: 'ID', kind: 'id', wide: true },
  { field: 'order_id', header: 'Order', kind: 'id', wide: true },
  {
    field: 'back',
    header: 'Given back',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: ({ given_back }) => (given_back ? 'yes' : null),
  },
  { field: 'given_back', header: 'Given back', kind: 'text', only: 'programs' },
];

const byGroup = phrase`Did you mean ${invocation('report', [], { fees: true, by: 'VALUE' })}? The sum of each store stands below a list, too: ${invocation('charges list', [], { all: true })}`;
const byCourier = phrase`Did you mean ${invocation('report', [], { fees: true, by: 'courier' })} or ${invocation('charges list', [], { filter: 'courier = NAME' })}?`;

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List charges and refunds, newest first',
  description: [
    'Refunds are negative, so the amounts of a delivery add up to its final price. An adjustment, of either sign, makes',
    "them add up to the courier's bill, and has a reason. GIVEN BACK are prices and tips of failed and canceled deliveries,",
    'which a refund has given back in whole. The total of the listed rows is printed to stderr, with the sums of each kind and',
    'store.',
  ].join('\n'),
  flags: {
    delivery: textFlag({
      summary: 'Filter by delivery: its ID, your reference, or a phone number',
      placeholder: 'DELIVERY',
      aliases: ['delivery-id'],
    }),
    order: textFlag({
      summary: 'Filter by order, with all its deliveries: its ID or your reference',
      placeholder: 'ORDER',
      aliases: ['order-id'],
    }),
    store: storeFlag(),
    kind: choicesFlag({ summary: 'Filter by kind', choices: chargeKinds, placeholder: 'KINDS' }),
    ...createdFlags,
    ...pagingFlags,
  },
  flagHints: {
    ...listFlagHints,
    '--by': byGroup,
    '--group-by': byGroup,
    '--provider': byCourier,
    '--courier': byCourier,
    ...Object.fromEntries(
      ['refund', 'tip', 'return', 'cancellation'].flatMap((kind) =>
        [`--${kind}`, `--${kind}s`].map((flag) => [
          flag,
          phrase`Did you mean ${invocation('charges list', [], { kind })}?`,
        ]),
      ),
    ),
    '--failed': phrase`Did you mean ${invocation('deliveries list', [], { status: 'failed' })}? What is given back for them: ${invocation('charges list', [], { kind: 'refund' })}`,
    '--total': phrase`The sum of each kind stands below the whole list: ${invocation('charges list', [], { all: true })}`,
    '--search': phrase`Did you mean ${invocation('charges list', [], { order: 'VALUE' })}?`,
  },
  meantByWord: (word) =>
    invocation('charges list', [], word.startsWith('dlv_') ? { delivery: word } : { order: word }),
  examples: [
    { command: 'waybill charges list --delivery DELIVERY', summary: 'Show the charges of a delivery' },
    { command: 'waybill charges list --order ORDER', summary: 'Show what an order cost, all attempts' },
    {
      command: 'waybill charges list --period today --all',
      summary: "Show today's charges, and the sum of each kind",
    },
    { command: 'waybill charges list --kind cancellation,return --since 7d', summary: 'Show a week of fees' },
    {
      command: "waybill charges list --filter 'courier = poolride' --period 'last week' --all",
      summary: 'The bill of one courier, line by line',
    },
    { command: 'waybill charges list --all -o csv', summary: 'Export everything to a spreadsheet' },
  ],
  columns: chargeColumns,
  effect: 'read',
  calls: [
    'charges.list',
    'deliveries.list',
    'deliveries.listDetailed',
    'deliveries.get',
    'orders.get',
    'orders.list',
    'stores.list',
    'stores.get',
  ],
  answers: ({ each }) => [each('charges.list')],
  errors: ['record_not_found'],
  related: ['deliveries explain', 'deliveries cancel'],
  async run(context, { flags }) {
    const { kind, since, until, period } = flags;
    const client = await context.client();
    const delivery = flags.delivery && (await findDeliveryId(context, flags.delivery));
    const order = flags.order && (await findLatestOrder(context, flags.order));
    const store = flags.store && (await findStoreId(context, flags.store));
    const created = await createdQuery(context, { since, until, period, store });
    const record = order ? { order_id: order } : delivery ? { deliveryid: delivery } : null;
    const isShown = record !== null && isForPeople(context.output.format);
    const zone = isShown ? await zoneOfStore(client, record) : await shownZone(context);
    const sum: Sum = {
      isOfAll: false,
      count: 0,
      charged: 0,
      back: 0,
      given_back: 0,
      kinds: new Map(),
      stores: new Map(),
      fees: 0,
    };
    const seen: Charge[] = [];
    return listing(context, {
      list: client.charges.list,
      onListed: (charge) => {
        addAmount(sum, charge);
        if (order !== undefined) seen.push(charge);
      },
      onRest: (charges) => {
        sum.isOfAll = charges.length > 0;
        for (const charge of charges) addAmount(sum, charge);
      },
      query: { delivery_id: delivery, order_id: order, store_id: store, kind, ...created },
      paging: periodPaging(context, flags, flags),
      columns: chargeColumns,
      zone,
      command: invocation('charges list'),
      filters: {
        delivery,
        order,
        store,
        kind: kind?.join(','),
        ...createdFilters(flags, created),
      },
      empty: 'No charges found.',
      start: phrase`No charges yet. Dispatch a delivery: ${invocation('ship')}`,
      notes: () =>
        context.output.json ? [] : [...sumNotes(sum), ...kindNotes(sum, kind), ...attemptNotes(seen)],
    });
  },
});

/** The ID of an order; of several with one reference the latest, with a warning. */
async function findLatestOrder(context: Context, typed: string): Promise<string> {
  const onOthers = (latest: Order, others: readonly Order[]) => {
    const ids = others.map(({ id }) => id).join(', ');
    const message = `${others.length + 1} orders have the reference "${typed}": these are the charges of the latest, ${latest.id}. The others: ${ids}.`;
    context.warning('several_orders', message);
  };
  return findOrderId(context, typed, { onOthers });
}
