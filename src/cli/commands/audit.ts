/** `audit list`: which record and actor the filters mean, and which column a narrow table leaves out. */
import { records } from '../../client/pages.ts';
import type { AuditEntry } from '../../contract/accounts.ts';
import type { Order } from '../../contract/orders.ts';
import { auditActors } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { choicesFlag, textFlag } from '../kit/args/flags.ts';
import { Failure } from '../kit/errors/failure.ts';
import { shortTime, styledTime } from '../kit/output/times.ts';
import { invocation, phrase, type Text, timePart } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import { findDelivery } from '../nouns/find-delivery.ts';
import { findOrderId } from '../nouns/find-order.ts';
import { isEndlessPause } from '../nouns/store-pause.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { createdFilters, createdFlags, createdQuery } from '../session/created-periods.ts';
import { auditAuthor, findKeyId } from '../session/identity.ts';
import { shownZone } from '../session/list-view.ts';
import { listing, pagingFlags } from '../session/listing.ts';

/** The columns; in a narrow table one is left out: the actor, or the record that the list is filtered by. */
function auditColumns(
  spared: 'actor' | 'record_id',
  time: (iso: string) => string,
): readonly Column<AuditEntry>[] {
  const ifSpared = (field: string) => (field === spared ? { spare: 2 } : {});
  const detail = { field: 'detail', header: 'Detail', kind: 'text', unlessEmpty: true, spare: 3 } as const;
  return [
    { field: 'created_at', header: 'Time', kind: 'instant' },
    { field: 'operation', header: 'Operation', kind: 'text', only: 'people', value: operationText },
    { field: 'operation', header: 'Operation', kind: 'text', only: 'programs' },
    { field: 'record_id', header: 'Record', kind: 'text', ...ifSpared('record_id') },
    { field: 'record_name', header: 'Name', kind: 'text', unlessEmpty: true, isName: true, spare: 4 },
    { ...detail, only: 'people', value: (entry) => detailText(entry, time) },
    { ...detail, only: 'programs' },
    {
      ...{ field: 'actor', header: 'By', kind: 'text', value: auditAuthor, askedBy: ['by', 'key'] },
      ...ifSpared('actor'),
    },
    { field: 'address', header: 'IP address', kind: 'text', unlessEmpty: true, spare: 1 },
    { field: 'key_id', header: 'Key ID', kind: 'text', wide: true },
    { field: 'driver_id', header: 'Driver ID', kind: 'text', wide: true },
    { field: 'request_id', header: 'Request', kind: 'text', wide: true },
    { field: 'id', header: 'ID', kind: 'id', wide: true },
  ];
}

/** `Cancel delivery` for `CancelDelivery`. */
function operationText({ operation }: AuditEntry): string {
  return operation.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** `CancelDelivery,EditDelivery` for `cancel delivery, edit delivery`. */
function operationsNamed(text: string): string {
  return text
    .replaceAll(/ *, */g, ',')
    .replaceAll(
      /(^|,|[ _-]+)([a-z])/gi,
      (_, before: string, letter: string) => (before === ',' ? ',' : '') + letter.toUpperCase(),
    );
}

/** The changed fields for people: `paused until 20:58 CST`, `resumed`, `dropoff at 20:00 CST, dropoff notes`. */
function detailText({ actor, detail }: AuditEntry, time: (iso: string) => string): string | null {
  if (actor !== 'key' || detail === null || /^drv_/.test(detail)) return detail;
  const texts = detail.split(', ').map((change) => {
    const [name = '', value] = change.split('=');
    const text = name.replaceAll('_', ' ');
    if (value === undefined) return text;
    // A pause ends with a time in the past.
    if (name === 'paused_until' && Date.parse(value) <= 0) return 'resumed';
    if (name === 'paused_until' && isEndlessPause(value)) return 'paused';
    if (value === 'null') return `no ${text}`;
    return `${text} ${/^\d/.test(value) ? time(value) : value}`;
  });
  return texts.join(', ');
}

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List who changed what, newest first',
  description: [
    'Each change in the current mode, with its time, operation, record and IP address, and who made it: an API key, a',
    'driver on their page, a recipient on the tracking page, a courier that reported, or the operator on the machine of the',
    'database. Reads, refused requests and repeats leave no entry, simulated couriers neither. DETAIL names what was',
    'changed: values are not kept here, as many are personal; events list --delivery ID has the record after each change.',
    'Entries are kept for 400 days. Times are real, also while the sandbox clock is set. Requires an admin key.',
  ].join('\n'),
  flags: {
    by: choicesFlag({ choices: auditActors, summary: 'Filter by who made the change' }),
    key: textFlag({
      summary: 'Filter by API key: its ID, name or last four characters',
      placeholder: 'KEY',
      aliases: ['key-id'],
    }),
    operation: textFlag({
      summary: 'Filter by operations, such as CancelDelivery (comma-separated)',
      placeholder: 'OPERATIONS',
    }),
    record: textFlag({
      summary:
        'Filter by record: any ID, a courier or store by name, or an order by your reference, with its deliveries',
      placeholder: 'ID',
      aliases: ['record-id', 'order', 'delivery', 'ref'],
    }),
    ...createdFlags,
    ...pagingFlags,
  },
  examples: [
    {
      command: 'waybill audit list --record "#1042"',
      summary: 'Show who changed an order and its deliveries',
    },
    { command: 'waybill audit list --key KEY --since 7d', summary: 'Show what a key did in a week' },
    {
      command: 'waybill audit list --operation CancelDelivery --since today',
      summary: "Show today's cancellations",
    },
    {
      command: 'waybill audit list --operation CreateStore,UpdateStore,CreateWebhookEndpoint',
      summary: 'Show who changed settings',
    },
    { command: 'waybill audit list --by driver --since today', summary: 'Show what drivers tapped today' },
    { command: 'waybill audit list --all -o csv', summary: 'Export everything to a spreadsheet' },
  ],
  columns: auditColumns('actor', String),
  effect: 'read',
  calls: [
    'audit.list',
    'keys.list',
    'couriers.list',
    'orders.list',
    'deliveries.list',
    'deliveries.listDetailed',
    'stores.list',
  ],
  answers: ({ each }) => [each('audit.list')],
  related: ['keys list', 'events list'],
  async run(context, { flags }) {
    const { by, since, until, period } = flags;
    const operation = flags.operation && operationsNamed(flags.operation);
    const client = await context.client();
    const key = flags.key === undefined ? undefined : await findKeyId(context, flags.key);
    const about = flags.record === undefined ? {} : await subjectOf(context, flags.record);
    const created = await createdQuery(context, { since, until, period, now: context.now() });
    const zone = await shownZone(context);
    const canceled = new Set<string>();
    return listing(context, {
      list: client.audit.list,
      onListed: ({ operation: name, detail, record_id }) => {
        if (/^Cancel/.test(name) && detail === 'reason') canceled.add(record_id ?? '');
      },
      query: { actor: by, key_id: key, operation, ...about, ...created },
      paging: flags,
      columns: auditColumns(flags.record === undefined ? 'actor' : 'record_id', (iso) =>
        styledTime(iso, context.serviceNow(), context.output.times, shortTime, zone),
      ),
      zone,
      command: invocation('audit list'),
      filters: {
        by: by?.join(','),
        key,
        operation,
        record: flags.record,
        ...createdFilters(flags, created),
      },
      empty:
        flags.record === undefined
          ? 'No changes found.'
          : phrase`No changes found. What simulated couriers do leaves none, a simulated operator's cancellation neither: ${invocation('deliveries explain', [flags.record])}`,
      notes: () => [...reasonNotes(canceled.size), ...clockNotes(context, zone)],
      start: phrase`No changes yet. Creating an order is one: ${invocation('orders create')}`,
      now: context.now,
    });
  },
});

/** Only the delivery keeps the text of a reason. */
function reasonNotes(count: number): Text[] {
  const flags = { status: 'customer_canceled', columns: 'ref,dropoff,canceled_by,reason' };
  const texts = invocation('deliveries list', [], flags);
  return count === 0
    ? []
    : [
        phrase`Texts such as a reason are not kept here, as they may be personal. Why it was canceled: ${texts}`,
      ];
}

/** Says that the times are not those of the service, if its clock is set. */
function clockNotes({ now, serviceNow, output }: Context, zone: string | null): Text[] {
  const isSet = Math.abs(serviceNow() - now()) > max_clock_difference_ms;
  if (output.json || !isSet) return [];
  const at = new Date(serviceNow()).toISOString();
  return [
    phrase`These times are real. The clock of the sandbox is set: it says ${timePart(at, 'aged', zone)}.`,
  ];
}

const max_clock_difference_ms = minute_ms;

/** The filter for the typed record: an ID, the name of a courier or store, or any text that identifies an order. */
async function subjectOf(
  context: Context,
  typed: string,
): Promise<{ record_id: string } | { order_id: string } | { external_order_ref: string }> {
  if (/^ord_/.test(typed)) return { order_id: typed };
  if (/^[a-z]{3}_/.test(typed)) return { record_id: typed };
  if (/^[a-z-]+$/.test(typed)) {
    const client = await context.client();
    const { data: couriers } = (await client.couriers.list()).data;
    if (couriers.some(({ name }) => name === typed)) return { record_id: typed };
  }
  try {
    const refs = new Set<string>();
    const onOthers = (latest: Order, others: readonly Order[]) => {
      for (const { external_order_ref } of [latest, ...others]) refs.add(external_order_ref);
    };
    const order_id = await findOrderId(context, typed, { onOthers });
    const [external_order_ref, other] = refs;
    // Several orders with the end of one ID are refused.
    if (other !== undefined) return { order_id: await findOrderId(context, typed) };
    return external_order_ref ? { external_order_ref } : { order_id };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'record_not_found') throw error;
    const store_id = await storeCalled(context, typed);
    if (store_id !== null) return { record_id: store_id };
    const { id, order_id } = await findDelivery(context, typed);
    return order_id === '' ? { record_id: id } : { order_id };
  }
}

/** The ID of the store with this whole name; null without one. */
async function storeCalled(context: Context, name: string): Promise<string | null> {
  const client = await context.client();
  for await (const store of records(client.stores.list, {}))
    if (store.name.toLowerCase() === name.trim().toLowerCase()) return store.id;
  return null;
}
