/** The pause of a store, during which nothing is dispatched from it. */
import type { Client } from '../../client/client.ts';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import { allRecords } from '../../client/pages.ts';
import type { Store } from '../../contract/places.ts';
import { activeStatuses, expandStatusNames } from '../../contract/vocabulary.ts';
import { findZone } from '../../domain/addresses.ts';
import { resumeText } from '../errors/error-codes.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { fullTime } from '../kit/output/times.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { readScheduledInstant, serviceTime } from '../session/service-times.ts';
import type { Moment } from '../session/time-arguments.ts';
import { findStoreId } from './find-by-name.ts';

/** The end of a pause that lasts until the store is resumed. */
const no_end = '9999-12-31T00:00:00.000Z';

/** The end of a pause that is over for every service. */
const over = '1970-01-01T00:00:00.000Z';

/** Pauses a store, given by name or ID, until a time in its zone; without one until it is resumed. */
export async function pauseStoreUntil(
  context: Context,
  word: string,
  until: Moment | undefined,
): Promise<Store> {
  const store_id = await findStoreId(context, word);
  if (until === undefined) return setPauseEnd(context, store_id, no_end);
  const place = { name: 'pickup', address: undefined, store: store_id, flag: '--until' } as const;
  const end = await readScheduledInstant(context, until, place);
  // An end in the past would end the pause that there is.
  if (Date.parse(end) <= (await serviceTime(context)))
    throw new UsageError('--until must be in the future.', { code: 'bad_value', param: '--until' });
  return setPauseEnd(context, store_id, end);
}

/** Ends the pause of a store, given by name or ID. */
export async function endPause(context: Context, word: string): Promise<Store> {
  return setPauseEnd(context, await findStoreId(context, word), over);
}

async function setPauseEnd(context: Context, store_id: string, paused_until: string): Promise<Store> {
  const client = await context.client();
  return (await client.stores.update({ params: { store_id }, body: { paused_until } })).data;
}

/** True for a pause that ends when the store is resumed. */
export function isEndlessPause(paused_until: string | null | undefined): boolean {
  return paused_until !== null && paused_until !== undefined && paused_until >= '9999';
}

/** ` until Mar 2, 3:00 PM CST`, in the zone of the store; empty for a pause that ends when the store is resumed. */
function pauseEndText(paused_until: string, address: string): string {
  return isEndlessPause(paused_until) ? '' : ` until ${fullTime(paused_until, undefined, findZone(address))}`;
}

/** A store from which nothing is dispatched now. */
export interface PausedStore extends Pick<Store, 'id' | 'name' | 'address'> {
  paused_until: string;
}

function pausesAt(now: number): (store: Store) => PausedStore[] {
  return ({ id, name, address, paused_until }) =>
    paused_until && Date.parse(paused_until) > now ? [{ id, name, address, paused_until }] : [];
}

/** The stores that are paused now: all of them, or the one with the ID. None at a service without pauses. */
export async function pausedStores(
  { client, serviceNow }: Pick<Context, 'client' | 'serviceNow'>,
  store_id?: string | null,
): Promise<PausedStore[]> {
  const { stores } = await client();
  const read = async () => {
    if (!store_id) return allRecords(stores.list, {});
    return [(await stores.get({ params: { store_id } })).data];
  };
  const found = await unlessMissing(ifSupported(read(), []));
  return (found ?? []).flatMap(pausesAt(serviceNow()));
}

/** `Loop Pizza is paused until 21:00 CST: 2 orders wait. Resume it: waybill stores resume str_1`: names may repeat. */
export function pausedText({ id, name, paused_until, address }: PausedStore, waiting: number): Text {
  const wait = waiting === 0 ? '' : `: ${waiting} ${waiting === 1 ? 'order waits' : 'orders wait'}`;
  const resume = invocation('stores resume', [id]);
  return phrase`${name} is paused${pauseEndText(paused_until, address)}${wait}. Resume it: ${resume}`;
}

/** How many orders of a store are not sent, and how many of its deliveries are under way. */
export async function countOpenAt(
  { orders, deliveries }: Client,
  store_id: string,
): Promise<{ unsent: number; active: number }> {
  const page = { store_id, limit: 100 };
  const [unsent, active] = await Promise.all([
    allRecords(orders.list, { ...page, status: ['open' as const, 'routed' as const] }),
    allRecords(deliveries.list, { ...page, status: expandStatusNames(activeStatuses) }),
  ]);
  return { unsent: unsent.length, active: active.length };
}

/** The stores that `pausedStores` finds, with how many of their orders are not sent. */
export async function pausedWithWaiting(
  context: Pick<Context, 'client' | 'serviceNow'>,
  store_id?: string,
): Promise<(PausedStore & { waiting_orders: number })[]> {
  const client = await context.client();
  const found = await pausedStores(context, store_id);
  return Promise.all(
    found.map(async (each) => ({ ...each, waiting_orders: (await countOpenAt(client, each.id)).unsent })),
  );
}

/** Fails with `store_paused` before anything is done for a store from which nothing is dispatched now. */
export async function refusePausedStores(
  context: Context,
  orders: readonly { pickup_store_id?: string | null | undefined }[],
  hint = 'Nothing was created.',
): Promise<void> {
  for (const store_id of new Set(orders.flatMap((each) => each.pickup_store_id ?? []))) {
    const [store] = await pausedStores(context, store_id);
    if (store === undefined) continue;
    const end = pauseEndText(store.paused_until, store.address);
    throw new Failure(
      6,
      'store_paused',
      `The store "${store.name}" is paused${end}: nothing is dispatched from it.`,
      {
        hint,
        next: [{ ...invocation('stores resume', [store.id]), when: resumeText }],
      },
    );
  }
}
