/** The pause of a store, during which nothing is dispatched from it. */
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Store } from '../../contract/places.ts';
import { findZone } from '../../domain/addresses.ts';
import { resumeText } from '../errors/error-codes.ts';
import { Failure } from '../kit/errors/failure.ts';
import { fullTime } from '../kit/output/times.ts';
import { invocation } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { readScheduledInstant } from '../session/service-times.ts';
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
  const place = { name: 'pickup', address: undefined, store: store_id } as const;
  const end = until === undefined ? no_end : await readScheduledInstant(context, until, place);
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
export function pauseEndText(paused_until: string, address: string): string {
  return isEndlessPause(paused_until) ? '' : ` until ${fullTime(paused_until, undefined, findZone(address))}`;
}

/** Fails with `store_paused` before anything is created for a store from which nothing is dispatched now. */
export async function refusePausedStores(
  context: Context,
  orders: readonly { pickup_store_id?: string | null | undefined }[],
): Promise<void> {
  const client = await context.client();
  for (const store_id of new Set(orders.flatMap((each) => each.pickup_store_id ?? []))) {
    const call = client.stores.get({ params: { store_id } }).then(({ data }) => data);
    const store = await unlessMissing(ifSupported(call, null));
    const until = store?.paused_until ?? null;
    if (store === null || until === null || Date.parse(until) <= context.serviceNow()) continue;
    const end = pauseEndText(until, store.address);
    throw new Failure(
      6,
      'store_paused',
      `The store "${store.name}" is paused${end}: nothing is dispatched from it.`,
      {
        hint: 'Nothing was created.',
        next: [{ ...invocation('stores resume', [store.name]), when: resumeText }],
      },
    );
  }
}
