import type { Delivery } from '../../../contract/deliveries.ts';
import { type DeliveryStatus, deliveryStatuses, statusGroups } from '../../../contract/vocabulary.ts';
import type { StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { type NamedStatuses, statusesFlag, targetFlags } from '../../waiting/status-targets.ts';
import { type WaitWay, waitOptions } from '../../waiting/waiting-flags.ts';

/** The accepted names of delivery statuses and groups. */
export const deliveryVocabulary = { statuses: deliveryStatuses, groups: statusGroups };

/** Statuses given by a flag, by name or group; null without the flag. */
export type Named = NamedStatuses<DeliveryStatus> | null;

/** Flags of commands that wait for a status. */
export const deliveryTargetFlags = targetFlags(deliveryVocabulary, 'delivered');

const { failOn } = deliveryTargetFlags;

/** Flags of commands that create deliveries: whether to wait, and for which status. */
export const arrivalFlags = {
  wait: statusesFlag(deliveryVocabulary, {
    summary: 'Then wait until each delivery reaches this status, such as delivered',
  }),
  failOn,
};

/** Flags of commands that watch: statuses that end the watch early. */
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
  const { deliveriesWaitable } = await import('./delivery-waitable.ts');
  const { watchChanges } = await import('../../waiting/service-waiting.ts');
  const waitable = deliveriesWaitable(context, [delivery], isEnd ? null : target);
  return watchChanges(context, waitable, waitOptions(context, [command, delivery.id, way], flags));
}
