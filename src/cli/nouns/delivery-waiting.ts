/** Waiting for deliveries, watching one, and watching a list of them. */
import type { Client } from '../../client/client.ts';
import { pages } from '../../client/pages.ts';
import type { AnyDelivery, Delivery } from '../../contract/deliveries.ts';
import { isStatusNamed } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { durationText } from '../kit/args/flags.ts';
import { BadOutcome } from '../kit/errors/failure.ts';
import { phoneFormatter } from '../kit/output/safe-text.ts';
import type { Hint } from '../kit/polling/hints.ts';
import { type InvocationFlags, invocation, phrase, type Text } from '../kit/result/message.ts';
import type { Result, StreamResult } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import {
  type Awaitable,
  type EventFilter,
  type Watched,
  waitForAnswer,
  watchChanges,
} from '../waiting/service-waiting.ts';
import { isSameRecord, watchList } from '../waiting/status-records.ts';
import { usual_wait_ms, type Waiting, type WaitWay, waitOptions } from '../waiting/waiting-flags.ts';
import { endingText, returnCostText } from './delivery.ts';
import { deliveryLine, listedDeliveryLine } from './delivery-status-text.ts';
import { initiateStep } from './delivery-steps.ts';
import {
  type DeliveryTarget,
  deliveryOutcome,
  endOutcome,
  type NamedDeliveryStatuses,
} from './delivery-targets.ts';

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
  const phone = phoneFormatter(context.output);
  return {
    first,
    events: eventsOf(first),
    test_mode: first.some(({ test_mode }) => test_mode),
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
      const hint = returnCostText(failed);
      const about = { code: `delivery_${status}`, next, ...(hint !== null && { hint }), ...details };
      return new BadOutcome(`${id} ${endingText(failed)}`, about);
    },
    hintIfIdle: notInitiatedHint,
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
    types,
    isAbout: ({ id }) => ids.has(id),
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
function notInitiatedHint(deliveries: readonly AnyDelivery[]): Hint | null {
  const kept = deliveries.find(({ status }) => status === 'request');
  if (kept === undefined) return null;
  const { when, ...command } = initiateStep(kept, 'have a courier come for it');
  const message = phrase`No courier has been asked for ${kept.id} yet. Ask one with: ${command}`;
  return { code: 'not_initiated', message, command, when };
}

type Query = NonNullable<NonNullable<Parameters<Client['deliveries']['list']>[0]>['query']>;

/** Selects the newest deliveries to watch. */
interface ListedDeliveries {
  query: Query & { limit: number };
  filters: InvocationFlags;
  /** A filter that the API does not have. */
  keep?: ((delivery: AnyDelivery) => boolean) | undefined;
}

/** Watches the deliveries of a list until each has ended. */
export function watchDeliveries(
  context: Context,
  { query, filters, keep }: ListedDeliveries,
  waiting: Waiting,
): StreamResult {
  const phone = phoneFormatter(context.output);
  const watched = {
    list: async () => listedNow(await context.client(), query, keep),
    get: (id: string) => getDelivery(context, id),
    idOf: ({ id }: AnyDelivery) => id,
    isOpen: ({ status }: AnyDelivery) => !isEnded(status),
    isKept: (delivery: AnyDelivery) => isStillListed(delivery, query),
    lineOf: (before: AnyDelivery | null, seen: AnyDelivery) => listedDeliveryLine(before, seen, phone),
    events: { types, isAbout: () => true },
    command: invocation('deliveries list'),
    filters,
    open: 'under way',
  };
  return watchList(context, watched, waiting);
}

/** Of a filter that the API does not have, so many deliveries are read for each look at the list. */
const max_searched = 1000;

/** The newest deliveries of the list: where the filter is here, of as many pages as it takes. */
async function listedNow(
  { deliveries }: Client,
  query: ListedDeliveries['query'],
  keep: ListedDeliveries['keep'],
): Promise<AnyDelivery[]> {
  if (keep === undefined) return (await deliveries.listDetailed({ query })).data.data;
  const found: AnyDelivery[] = [];
  let left = max_searched;
  for await (const { data } of pages(deliveries.listDetailed, { ...query, limit: 100 })) {
    found.push(...data.data.filter(keep));
    left -= data.data.length;
    if (found.length >= query.limit || left <= 0) break;
  }
  return found.slice(0, query.limit);
}

/** A delivery that leaves a list of late or stuck deliveries is no longer late or stuck. */
function isStillListed({ status }: AnyDelivery, query: Query): boolean {
  if ([query.late, query.overdue, query.unchanged_since].some((each) => each !== undefined)) return false;
  return query.status === undefined || isStatusNamed(status, [query.status].flat());
}

interface WatchValues {
  until: NamedDeliveryStatuses;
  failOn: NamedDeliveryStatuses;
  timeout: number | undefined;
  interval: number | undefined;
}

/** Watches a delivery as the flags specify; `command` is the watching command line, including its flag. */
export async function watchDelivery(
  context: Context,
  delivery: Delivery,
  flags: WatchValues,
  [command, way]: readonly [command: string, way: WaitWay],
): Promise<StreamResult> {
  const { until, failOn } = flags;
  const isEnd = until === null && failOn === null;
  const target = { until: until?.statuses ?? (['delivered'] as const), fail_on: failOn?.statuses ?? null };
  const waitable = deliveriesWaitable(context, [delivery], isEnd ? null : target);
  return watchChanges(context, waitable, waitOptions(context, [command, delivery.id, way], flags));
}

export interface Wait {
  /** The statuses that each delivery must reach; null: do not wait. */
  until: NamedDeliveryStatuses;
  fail_on: NamedDeliveryStatuses;
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** Start of the timeout: milliseconds since the epoch, by this machine's clock. */
  started_at: number;
}

/** The parsed flags of a wait. */
export interface WaitValues {
  wait: NamedDeliveryStatuses;
  failOn: NamedDeliveryStatuses;
  timeout: number | undefined;
  interval: number | undefined;
}

/** Creates the wait from the flags, counted from now. */
export function createWait(context: Pick<Context, 'now'>, flags: WaitValues): Wait {
  const { wait: until, failOn: fail_on, timeout: timeout_ms, interval: interval_ms } = flags;
  return { until, fail_on, timeout_ms, interval_ms, started_at: context.now() };
}

/** True if there is something to wait for: a delivery that failed immediately ends the command. */
export function isAwaited({ until }: Wait, deliveries: readonly Delivery[]): boolean {
  if (until === null) return false;
  return until.statuses.includes('failed') || deliveries.every(({ status }) => status !== 'failed');
}

/**
 * Returns the result once every delivery has reached its target; fails like `deliveries wait`, with the result
 * attached.
 */
export async function awaitArrival(
  context: Context,
  deliveries: readonly Delivery[],
  { until, fail_on, timeout_ms, interval_ms, started_at: from }: Wait,
  answer: (last: readonly Delivery[]) => Result,
): Promise<Result> {
  const remaining_ms = timeout_ms === undefined ? usual_wait_ms : from + timeout_ms - context.now();
  const interval = interval_ms === undefined ? undefined : durationText(interval_ms);
  const flags = { until: until?.text, failOn: fail_on?.text, interval };
  const target = { until: until?.statuses ?? [], fail_on: fail_on?.statuses ?? null };
  const waitable = { ...deliveriesWaitable(context, deliveries, target), answer, answersFailure: () => true };
  return waitForAnswer(context, waitable, {
    timeout_ms: Math.max(0, remaining_ms),
    given_ms: timeout_ms ?? remaining_ms,
    interval_ms,
    again: (last) =>
      last
        .filter((delivery) => deliveryOutcome(delivery, target) === 'open')
        .map(({ id }) => invocation('deliveries wait', [id], flags)),
  });
}
