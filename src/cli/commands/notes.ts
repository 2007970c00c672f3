/** `notes list`: the notes of all deliveries. Those of one: `deliveries/note-and-dispute.ts`. */
import type { DeliveryNote } from '../../contract/deliveries.ts';
import { textFlag } from '../kit/args/flags.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import { findStoreId, storeFlag } from '../nouns/find-by-name.ts';
import { defineCommand } from '../session/command.ts';
import { createdFilters, createdFlags, createdQuery } from '../session/created-periods.ts';
import { shownZone } from '../session/list-view.ts';
import { listing, pagingFlags } from '../session/listing.ts';
import { readPeriod } from '../session/typed-periods.ts';

const noteColumns: readonly Column<DeliveryNote>[] = [
  { field: 'created_at', header: 'Added', kind: 'time' },
  { field: 'delivery_id', header: 'Delivery', kind: 'id', isFoundByEnd: true },
  { field: 'external_order_ref', header: 'Ref', kind: 'text', unlessEmpty: true },
  { field: 'dropoff_name', header: 'Dropoff', kind: 'text', isName: true },
  { field: 'tags', header: 'Tags', kind: 'text', unlessEmpty: true },
  { field: 'text', header: 'Note', kind: 'text', prose: true },
  { field: 'store_name', header: 'Store', kind: 'text', wide: true },
  { field: 'id', header: 'ID', kind: 'text', wide: true },
];

export const notes = defineCommand({
  name: 'notes',
  summary: 'List the notes of all deliveries, newest first',
  description:
    'Notes are added with deliveries note. They are internal: couriers and recipients do not get them.',
  flags: {
    tag: textFlag({ summary: 'Only notes with this tag' }),
    store: storeFlag(),
    ...createdFlags,
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill notes --since 8h', summary: 'Read what the last shift wrote' },
    { command: 'waybill notes --tag callback', summary: 'List who is to be called back' },
  ],
  columns: noteColumns,
  meantByWord: (word, words) => {
    if (word === 'list') return invocation('notes');
    const since = words.join(' ');
    if (readPeriod(since) !== null) return invocation('notes', [], { since });
    const [record = word, ...text] = words[0] === 'add' ? words.slice(1) : words;
    return invocation('deliveries note', [record, ...(text.length === 0 ? [] : [text.join(' ')])]);
  },
  effect: 'read',
  answers: ({ each }) => [each('notes.list')],
  calls: ['notes.list', 'deliveries.list', 'stores.list', 'stores.get'],
  related: ['deliveries note', 'today'],
  async run(context, { flags }) {
    const { tag, since, until, period } = flags;
    const client = await context.client();
    const store = flags.store && (await findStoreId(context, flags.store));
    const created = await createdQuery(context, { since, until, period, store });
    return listing(context, {
      list: client.notes.list,
      query: { tag, store_id: store, ...created },
      paging: flags,
      columns: noteColumns,
      zone: await shownZone(context),
      command: invocation('notes'),
      filters: { tag, store, ...createdFilters(flags, created) },
      empty: 'No notes found.',
      start: phrase`No notes yet. Add one: ${invocation('deliveries note', ['DELIVERY', 'TEXT'])}`,
    });
  },
});
