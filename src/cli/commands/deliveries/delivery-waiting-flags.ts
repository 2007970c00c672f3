import type { Delivery } from '../../../contract/deliveries.ts';
import { type DeliveryStatus, deliveryStatuses, statusGroups } from '../../../contract/vocabulary.ts';
import type { StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/context.ts';
import { type NamedStatuses, statusesFlag, targetFlags } from '../../waiting/status-targets.ts';
import { type WaitWay, waitOptions } from '../../waiting/waiting-flags.ts';

/** The words that name statuses of deliveries. */
export const deliveryVocabulary = { statuses: deliveryStatuses, groups: statusGroups };

/** Statuses and groups of them, as a flag names them; null where it does not. */
export type Named = NamedStatuses<DeliveryStatus> | null;

/** For commands that wait: what they wait for. */
export const deliveryTargetFlags = targetFlags(deliveryVocabulary, 'delivered');

const { failOn } = deliveryTargetFlags;

/** For commands that make deliveries: whether they then wait, and for what. */
export const arrivalFlags = {
  wait: statusesFlag(deliveryVocabulary, {
    summary: 'Then wait until each delivery reaches this status, such as delivered',
  }),
  failOn,
};

/** For commands that watch: where they end before the delivery does. */
export const endFlags = {
  until: statusesFlag(deliveryVocabulary, { summary: 'Stop at any of these statuses or a later one' }),
  failOn,
};

interface WatchValues {
  until: Named;
  failOn: Named;
  timeout: number | undefined;
  interval: number | undefined;
  changesOnly: boolean;
}

/** Watches a delivery as the flags say; `command` is the one that does, with the flag that makes it do so. */
export async function watchDelivery(
  context: Context,
  delivery: Delivery,
  flags: WatchValues,
  [command, way]: readonly [command: string, way: WaitWay],
): Promise<StreamResult> {
  const { until, failOn } = flags;
  const isEnd = until === null && failOn === null;
  const target = { until: until?.statuses ?? (['delivered'] as const), fail_on: failOn?.statuses ?? null };
  const { deliveriesWaitable } = await import('./delivery-waitable.ts');
  const { watchChanges } = await import('../../waiting/service-waiting.ts');
  const waitable = deliveriesWaitable(context, [delivery], isEnd ? null : target);
  return watchChanges(context, waitable, waitOptions(context, [command, delivery.id, way], flags));
}
