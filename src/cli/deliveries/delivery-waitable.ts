import type { Delivery } from '../../contract/deliveries.ts';
import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase } from '../kit/output/message.ts';
import type { Remark } from '../kit/polling/hints.ts';
import { type Following, looksOf } from '../kit/polling/waitable.ts';
import type { Told } from '../waiting/event-notifications.ts';

/** A delivery as each look finds it, until the caller stops or the time has run out. */
export async function* looksAt(
  context: Context,
  first: Delivery,
  following: Following,
): AsyncGenerator<Delivery> {
  for await (const [delivery] of looksAtAll(context, [first], following)) {
    if (delivery !== undefined) yield delivery;
  }
}

/** The same of several at once: a look is one at each of them. */
export function looksAtAll(
  context: Context,
  first: readonly Delivery[],
  following: Following,
): AsyncGenerator<readonly Delivery[]> {
  const look = async () => {
    const client = await context.client();
    const found: Delivery[] = [];
    for (const { id } of first)
      found.push((await client.deliveries.get({ params: { deliveryid: id } })).data);
    return found;
  };
  const subject = {
    ...{ first, test_mode: first.some(({ test_mode }) => test_mode), look, told: toldOf(first) },
    standing: (seen: readonly Delivery[]) => standingText(seen),
    isSame: (before: readonly Delivery[], after: readonly Delivery[]) =>
      after.every(({ updated_at }, index) => before[index]?.updated_at === updated_at),
    idle: (seen: readonly Delivery[]) => {
      const kept = seen.find(({ status }) => status === 'request');
      return kept === undefined ? null : notInitiated(kept);
    },
  };
  return looksOf(context, subject, following);
}

/** The service picks the events of one delivery; those of several are picked here. */
function toldOf(deliveries: readonly Delivery[]): Told {
  const ids = new Set<unknown>(deliveries.map(({ id }) => id));
  const [only] = deliveries;
  return {
    types: ['delivery.created', 'delivery.updated'],
    ...(only !== undefined && ids.size === 1 ? { delivery_id: only.id } : {}),
    isAbout: ({ id }) => ids.has(id),
  };
}

function standingText(seen: readonly Delivery[]): Text {
  const [only] = seen;
  if (only !== undefined && seen.length === 1)
    return phrase`${only.id} is ${only.status}. See it with: ${invocation('deliveries get', [only.id])}`;
  return phrase`${statusesText(seen)}. See them with: ${invocation('deliveries list')}`;
}

/** `dlv_1 is delivered, dlv_2 is enroute_dropoff` */
export function statusesText(deliveries: readonly Delivery[]): string {
  return deliveries.map(({ id, status }) => `${id} is ${status}`).join(', ');
}

/** Of a delivery that is only kept: by waiting nothing happens to it. */
function notInitiated({ id }: Delivery): Remark {
  const command = invocation('deliveries initiate', [id]);
  const message = phrase`${id} is only kept, and no courier is asked before: ${command}`;
  return { code: 'not_initiated', message, command, when: 'have a courier come for it' };
}
