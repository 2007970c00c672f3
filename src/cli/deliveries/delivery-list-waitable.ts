import type { Client } from '../../client/client.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { statusGroups } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import { phoneShown } from '../output/phones.ts';
import { alignedRows } from '../output/rows.ts';
import { oneLine } from '../output/sanitize.ts';
import type { Show, StreamLine, StreamResult } from '../result.ts';
import type { Told } from '../waiting/event-notifications.ts';
import { watchList } from '../waiting/list-waitable.ts';
import type { Waiting } from '../waiting/waiting-flags.ts';
import { type Change, changesBetween } from './changes.ts';
import { timeOfRecord, type Wording, wordsOf } from './status-words.ts';
import { statusWidth } from './watching.ts';

type Query = NonNullable<NonNullable<Parameters<Client['deliveries']['list']>[0]>['query']>;

/** Which deliveries are followed: the newest. */
export interface ListedDeliveries {
  query: Query;
  filters: Readonly<Record<string, string | boolean | undefined>>;
}

const told: Told = { types: ['delivery.created', 'delivery.updated'], isAbout: () => true };

/** The deliveries of a list as they change, until each has ended: exit 8 when time ran out before. */
export function watchDeliveries(
  context: Context,
  { query, filters }: ListedDeliveries,
  waiting: Waiting,
): StreamResult {
  const phone = phoneShown(context.output);
  const parts = {
    list: async () => {
      const client = await context.client();
      return (await client.deliveries.list({ query })).data.data;
    },
    look: async (deliveryid: string) => {
      const client = await context.client();
      return (await client.deliveries.get({ params: { deliveryid } })).data;
    },
    idOf: ({ id }: Delivery) => id,
    isOpen: ({ status }: Delivery) => !isEnded(status),
    isSame: (before: Delivery, after: Delivery) => before.updated_at === after.updated_at,
    isKept: (delivery: Delivery) => isFitting(delivery, query),
    lineOf: (before: Delivery | null, delivery: Delivery) => lineOf(before, delivery, phone),
    ...{ told, command: invocation('deliveries list'), filters, left: 'under way' },
  };
  return watchList(context, parts, waiting);
}

/** What is late or stuck is so no more where such a list does not show it. */
function isFitting({ status }: Delivery, query: Query): boolean {
  if (query.late !== undefined || query.unchanged_since !== undefined) return false;
  if (query.status === undefined) return true;
  const group = Object.entries(statusGroups).find(([name]) => name === query.status)?.[1] ?? [query.status];
  return group.some((each) => each === status);
}

function lineOf(before: Delivery | null, delivery: Delivery, phone: Show['phone']): StreamLine {
  const { id, external_order_ref } = delivery;
  const type = before === null ? 'delivery.current' : 'delivery.updated';
  const told = changesOf(before, delivery, { at: timeOfRecord, phone });
  const changes = told.map(({ at, status, what }, index) => ({
    at,
    row: [at, id, external_order_ref, status, what],
    text: (show: Show) => changeText(changesOf(before, delivery, show)[index], delivery, show),
  }));
  const line = (show: Show) =>
    changes.length === 0 ? null : changes.map(({ text }) => text(show)).join('\n');
  return { data: { type, ...delivery }, line, rows: changes.map(({ row }) => row), changes };
}

function changeText(change: Change | undefined, { id, external_order_ref }: Delivery, show: Show): string {
  if (change === undefined) return '';
  const { at, status, what } = change;
  const cells = [
    { text: show.clock(at), paint: show.dim },
    { text: id },
    { text: oneLine(external_order_ref) },
    { text: status, paint: show.status, width: statusWidth },
    { text: oneLine(what) },
  ];
  return alignedRows([cells], { room: show.room, indent: 0 }).join('\n');
}

/** How it stands at first is one line, whatever lies behind it. */
function changesOf(before: Delivery | null, delivery: Delivery, wording: Wording): Change[] {
  if (before !== null) return changesBetween(before, delivery, wording);
  const { status, updated_at } = delivery;
  return [{ at: updated_at, status, what: wordsOf(status, delivery, wording) }];
}
