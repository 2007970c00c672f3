import type { Client } from '../../../client/client.ts';
import { pages } from '../../../client/pages.ts';
import type { WaitingOrder } from '../../../contract/orders.ts';
import { lengthText } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/message.ts';
import { storeZone } from '../orders/store-zone.ts';
import { type Found, firstRecords, type Problem } from './problem.ts';

/** Lists orders of auto dispatch whose last attempt found no courier. */
export async function waitingProblems(client: Client, serviceNow: () => number): Promise<Found> {
  const { records: waiting, isCut } = await firstRecords(pages(client.waitingOrders.list, { limit: 100 }));
  const now = serviceNow();
  const problems = waiting
    .filter(({ reason }) => reason !== '')
    .map((each): Problem => {
      const { order, waiting_since: since } = each;
      const { id, external_order_ref } = order;
      const next = { ...invocation('orders tries', [id]), when: 'see who was asked, and why not' };
      const record = { id, external_order_ref, zone: storeZone(order) };
      return { kind: 'waiting', ...record, what: whatOf(each, now), since, next };
    });
  return { problems, isCut };
}

/** `waits for a courier, tried again in 3 min (no provider offered a quote)` */
function whatOf({ next_attempt_at, reason }: WaitingOrder, now: number): string {
  const left_ms = next_attempt_at === null ? 0 : Date.parse(next_attempt_at) - now;
  const next = left_ms > 0 ? `tried again in ${lengthText(left_ms)}` : 'being tried again';
  return `waits for a courier, ${next} (${reason})`;
}
