/** `disputes`: those of deliveries with their sums, and their resolution. */
import type { Dispute } from '../../contract/accounting.ts';
import { disputeOutcomes, disputeStatuses } from '../../contract/vocabulary.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { dollars } from '../../domain/money.ts';
import { choiceFlag, choicesFlag, moneyFlag, textFlag } from '../kit/args/flags.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, recordResult } from '../kit/result/result.ts';
import { changedWord, deliveryWord, findDeliveryId, foundBy } from '../nouns/find-delivery.ts';
import { defineCommand, positional } from '../session/command.ts';
import { inShownZone, shownZone } from '../session/list-view.ts';
import { listing, pagingFlags } from '../session/listing.ts';

const disputeColumns: readonly Column<Dispute>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id', isFoundByEnd: true },
  { field: 'external_order_ref', header: 'Ref', kind: 'text', unlessEmpty: true },
  { field: 'dropoff_name', header: 'Dropoff', kind: 'text', isName: true },
  { field: 'status', header: 'Status', kind: 'text' },
  { field: 'outcome', header: 'Outcome', kind: 'text' },
  { field: 'amount', header: 'Refund', kind: 'money', value: ({ amount, outcome }) => outcome && amount },
  { field: 'paid', header: 'Paid', kind: 'money' },
  { field: 'reason', header: 'Reason', kind: 'text', prose: true },
  { field: 'note', header: 'Note', kind: 'text', wide: true },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1 },
  { field: 'store_name', header: 'Store', kind: 'text', wide: true },
  { field: 'resolved_at', header: 'Resolved', kind: 'time', wide: true },
];

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List disputes, newest delivery first',
  flags: {
    status: choicesFlag({ summary: 'Filter by status', choices: disputeStatuses, placeholder: 'STATUSES' }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill disputes list --status open', summary: 'List the disputes to resolve' },
    { command: 'waybill disputes list --all -o csv', summary: 'Export all disputes to a spreadsheet' },
  ],
  columns: disputeColumns,
  effect: 'read',
  calls: ['disputes.list', 'deliveries.list'],
  answers: ({ each }) => [each('disputes.list')],
  related: ['disputes get', 'disputes resolve'],
  async run(context, { flags }) {
    const { status } = flags;
    const client = await context.client();
    const seen: Dispute[] = [];
    return listing(context, {
      list: client.disputes.list,
      onListed: (dispute) => seen.push(dispute),
      query: { status },
      paging: flags,
      columns: disputeColumns,
      zone: await shownZone(context),
      command: invocation('disputes list'),
      filters: { status: status?.join(',') },
      empty: 'No disputes found.',
      start: phrase`No disputes yet. Open one for a delivery that went wrong: ${invocation('deliveries dispute', ['DELIVERY'])}`,
      notes: () => (context.output.json ? [] : sumNotes(seen)),
    });
  },
});

/** The totals of open disputes and of refunds, as notes below the list. */
function sumNotes(disputes: readonly Dispute[]): string[] {
  const open = disputes.filter(({ outcome }) => outcome === null);
  const refunded = disputes.filter(({ amount }) => amount > 0);
  const sum = (amounts: readonly number[]) => dollars(amounts.reduce((total, amount) => total + amount, 0));
  const texts = [
    ...(open.length === 0 ? [] : [`${open.length} open, which cost ${sum(open.map(({ paid }) => paid))}`]),
    ...(refunded.length === 0
      ? []
      : [`${refunded.length} refunded, by ${sum(refunded.map(({ amount }) => amount))}`]),
  ];
  return texts.length === 0 ? [] : [`Of these ${disputes.length}: ${texts.join('; ')}.`];
}

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show the dispute of a delivery',
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [{ command: 'waybill disputes get DELIVERY', summary: 'Show its reason and outcome' }],
  columns: disputeColumns,
  effect: 'read',
  calls: ['disputes.get', 'deliveries.list', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('disputes.get')],
  related: ['disputes resolve', 'deliveries explain'],
  async run(context, { positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.disputes.get({ params: { deliveryid } });
    return recordResult(data, await inShownZone(context, disputeColumns));
  },
});

export const resolve = defineCommand({
  name: 'resolve',
  aliases: ['close', 'settle'],
  summary: 'Resolve the dispute of a delivery',
  description: `${foundBy} With the outcome refunded, --amount is refunded, or everything that was paid.`,
  positionals: { delivery: positional('delivery', { summary: changedWord }) },
  flags: {
    outcome: choiceFlag({
      summary: 'How the dispute is resolved',
      choices: disputeOutcomes,
      required: true,
      question: 'How is the dispute resolved?',
    }),
    amount: moneyFlag({ summary: 'Amount to refund in dollars, such as 5.00' }),
    note: textFlag({ summary: 'Explanation, stored with the dispute' }),
  },
  examples: [
    {
      command: 'waybill disputes resolve DELIVERY --outcome refunded --amount 5.00',
      summary: 'Refund a part',
    },
    {
      command: "waybill disputes resolve DELIVERY --outcome rejected --note 'Signed by the recipient'",
      summary: 'Reject it',
    },
  ],
  effect: 'write',
  calls: ['disputes.resolve', 'deliveries.list', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('disputes.resolve')],
  related: ['disputes list', 'charges list', 'deliveries explain'],
  async run(context, { flags: { outcome, amount, note }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.disputes.resolve({
      params: { deliveryid },
      body: { outcome, ...withoutAbsent({ amount, note }) },
      idempotencyKey: context.idempotencyKey(),
    });
    const refund = data.amount === 0 ? '' : `: ${dollars(data.amount)} refunded`;
    return recordResult(data, await inShownZone(context, disputeColumns), {
      notes: [`Resolved the dispute of ${data.delivery_id}${refund}.`],
    });
  },
});
