import type { Client } from '../../../client/client.ts';
import type { AnyDelivery } from '../../../contract/delivery-details.ts';
import { deliveryStatusesOf } from '../../../contract/vocabulary.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { BadOutcome } from '../../kit/errors/failure.ts';
import { phoneShown } from '../../kit/output/contacts.ts';
import type { Hint } from '../../kit/polling/waitable.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import type { EventFilter } from '../../waiting/event-notifications.ts';
import { watchList } from '../../waiting/list-waitable.ts';
import type { Awaitable, Watched } from '../../waiting/service-waiting.ts';
import { isSameRecord } from '../../waiting/status-records.ts';
import type { Waiting } from '../../waiting/waiting-flags.ts';
import { endingText } from '../orders/delivery-ending.ts';
import { deliveryLine, listedDeliveryLine } from './delivery-lines.ts';
import { type DeliveryTarget, deliveryOutcome, endOutcome } from './delivery-targets.ts';

const types: EventFilter['types'] = ['delivery.created', 'delivery.updated'];

async function getDelivery(context: Context, deliveryid: string): Promise<AnyDelivery> {
  const client = await context.client();
  return (await client.deliveries.getDetailed({ params: { deliveryid } })).data;
}

/** Waits until every delivery has a target status, or has ended if there is no target. */
export function deliveriesWaitable(
  context: Context,
  first: readonly AnyDelivery[],
  target: DeliveryTarget | null,
): Awaitable<readonly AnyDelivery[]> & Watched<readonly AnyDelivery[]> {
  const outcomeOf = (delivery: AnyDelivery) =>
    target === null ? endOutcome(delivery) : deliveryOutcome(delivery, target);
  const phone = phoneShown(context.output);
  return {
    ...{ first, events: eventsOf(first), test_mode: first.some(({ test_mode }) => test_mode) },
    poll: async () => {
      const found: AnyDelivery[] = [];
      for (const { id } of first) found.push(await getDelivery(context, id));
      return found;
    },
    isUnchanged: (before, seen) => seen.every((delivery, index) => isSameRecord(before[index], delivery)),
    reached: (seen) => seen.every((delivery) => outcomeOf(delivery) === 'reached'),
    failed: (seen, details) => {
      const failed = seen.find((delivery) => outcomeOf(delivery) === 'failed');
      if (failed === undefined) return null;
      const { id, status } = failed;
      const next = [{ ...invocation('deliveries explain', [id]), when: 'see what happened' }];
      return new BadOutcome(`${id} ${endingText(failed)}`, { code: `delivery_${status}`, next, ...details });
    },
    idle: keptHint,
    interruptionText: interruptionText,
    status: (seen) => statusesText(seen.filter((delivery) => outcomeOf(delivery) === 'open')),
    progress: progressText,
    describeChange: (before, seen) =>
      seen.flatMap((delivery, index) => deliveryLine(before?.[index] ?? null, delivery, phone)),
  };
}

/** The service filters events by one delivery; those of several deliveries are filtered here. */
function eventsOf(deliveries: readonly AnyDelivery[]): EventFilter {
  const ids = new Set<unknown>(deliveries.map(({ id }) => id));
  const [only] = deliveries;
  return {
    ...{ types, isAbout: ({ id }) => ids.has(id) },
    ...(only !== undefined && ids.size === 1 ? { delivery_id: only.id } : {}),
  };
}

function interruptionText(seen: readonly AnyDelivery[]): Text {
  const [only] = seen;
  if (only !== undefined && seen.length === 1)
    return phrase`${only.id} is ${only.status}. See it with: ${invocation('deliveries get', [only.id])}`;
  return phrase`${statusesText(seen)}. See them with: ${invocation('deliveries list')}`;
}

/** `dlv_1 is delivered, dlv_2 is enroute_dropoff` */
function statusesText(deliveries: readonly AnyDelivery[]): string {
  return deliveries.map(({ id, status }) => `${id} is ${status}`).join(', ');
}

/** `Waiting for 3 deliveries: 2 delivered, 1 enroute_dropoff` */
function progressText(deliveries: readonly AnyDelivery[]): string {
  const [only] = deliveries;
  if (deliveries.length === 1 && only !== undefined) return `Waiting for ${only.id}: ${only.status}`;
  const statuses = [...new Set(deliveries.map(({ status }) => status))];
  const counts = statuses.map(
    (status) => `${deliveries.filter((each) => each.status === status).length} ${status}`,
  );
  return `Waiting for ${deliveries.length} deliveries: ${counts.join(', ')}`;
}

/** The message for a delivery that is still a request: it does not move until it is initiated. */
function keptHint(deliveries: readonly AnyDelivery[]): Hint | null {
  const kept = deliveries.find(({ status }) => status === 'request');
  if (kept === undefined) return null;
  const command = invocation('deliveries initiate', [kept.id]);
  const message = phrase`${kept.id} is only kept, and no courier is asked before: ${command}`;
  return { code: 'not_initiated', message, command, when: 'have a courier come for it' };
}

type Query = NonNullable<NonNullable<Parameters<Client['deliveries']['list']>[0]>['query']>;

/** Selects the newest deliveries to watch. */
export interface ListedDeliveries {
  query: Query;
  filters: Readonly<Record<string, string | boolean | undefined>>;
}

/** Watches the deliveries of a list until each has ended. */
export function watchDeliveries(
  context: Context,
  { query, filters }: ListedDeliveries,
  waiting: Waiting,
): StreamResult {
  const phone = phoneShown(context.output);
  const watched = {
    list: async () => (await (await context.client()).deliveries.listDetailed({ query })).data.data,
    get: (id: string) => getDelivery(context, id),
    idOf: ({ id }: AnyDelivery) => id,
    isOpen: ({ status }: AnyDelivery) => !isEnded(status),
    isUnchanged: (before: AnyDelivery, seen: AnyDelivery) => isSameRecord(before, seen),
    isKept: (delivery: AnyDelivery) => isFitting(delivery, query),
    lineOf: (before: AnyDelivery | null, seen: AnyDelivery) => listedDeliveryLine(before, seen, phone),
    ...{ events: { types, isAbout: () => true }, command: invocation('deliveries list'), filters },
    open: 'under way',
  };
  return watchList(context, watched, waiting);
}

/** A delivery that leaves a list of late or stuck deliveries is no longer late or stuck. */
function isFitting({ status }: AnyDelivery, query: Query): boolean {
  if (query.late !== undefined || query.unchanged_since !== undefined) return false;
  return query.status === undefined || deliveryStatusesOf(query.status).includes(status);
}
