import { text } from '../../kit/args/flags.ts';
import { type Column, list } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { databaseFlag } from '../../session/database-flag.ts';
import { administer, type ErasedOrder } from './administer.ts';
import { personQueryOf } from './person-query.ts';

const columns: readonly Column<ErasedOrder>[] = [
  { field: 'order_id', header: 'Order', kind: 'id', value: ({ order_id }) => order_id },
  {
    field: 'delivery_ids',
    header: 'Deliveries',
    kind: 'text',
    value: ({ delivery_ids }) => delivery_ids.join(', '),
  },
  { field: 'outcome', header: 'Outcome', kind: 'text', value: ({ outcome }) => outcome.replace('_', ' ') },
];

const logNote =
  'Another process still reads the database: until it ends, the log beside the file has what was erased.';

export const erase = defineCommand({
  name: 'erase',
  summary: 'Erase the personal data of a person from orders and deliveries',
  description: [
    'Removes names, addresses, phone numbers, notes, proofs, signatures and exact positions of a recipient or sender from',
    'orders, deliveries, routes, events, reports, disputes and stored responses, in every account and both modes, and ends',
    'their tracking links. IDs, references, items, amounts, times and statuses stay. Orders under way are left out: run it',
    'again once they have ended. It cannot be undone, and backups made before still have the data.',
  ].join('\n'),
  flags: {
    database: databaseFlag(),
    phone: text({ summary: 'Phone number of the person', placeholder: 'PHONE' }),
    delivery: text({ summary: 'Delivery whose recipient is erased: dlv_…', placeholder: 'DELIVERY' }),
  },
  oneOf: ['phone', 'delivery'],
  examples: [
    { command: 'waybill admin erase --phone +13125550142', summary: 'Erase a person by phone number' },
    {
      command: 'waybill admin erase --delivery dlv_1 --database shop.db --yes',
      summary: 'Erase the recipient of one delivery without a prompt',
    },
  ],
  effect: 'none',
  confirms: () => true,
  async run(context, { flags }) {
    const query = await personQueryOf(flags, 'admin erase');
    const who = 'phone' in query ? `+${query.phone}` : `the recipient of ${query.delivery_id}`;
    await context.confirm(`Erase the personal data of ${who} for good?`);
    const { orders, isOverwritten } = await administer(context, flags.database, (administration) =>
      administration.erase(query),
    );
    const notes = isOverwritten || orders.length === 0 ? [] : [logNote];
    return list({ data: orders, columns, empty: 'No order has this person.', notes });
  },
});
