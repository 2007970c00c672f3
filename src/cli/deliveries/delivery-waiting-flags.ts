import type { Delivery } from '../../contract/deliveries.ts';
import { type DeliveryStatus, deliveryStatuses, statusGroups } from '../../contract/vocabulary.ts';
import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import type { StreamResult } from '../result.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../waiting/status-targets.ts';
import { typedWaiting, waitingOf } from '../waiting/waiting-flags.ts';

/** The words that name statuses of deliveries. */
export const deliveryVocabulary = { statuses: deliveryStatuses, groups: statusGroups };

/** Statuses and groups of them, as a flag names them; null where it does not. */
export type Named = NamedStatuses<DeliveryStatus> | null;

export const failOnFlag = statusesFlag(deliveryVocabulary, {
  summary: 'Statuses that mean failure (default: any that makes --until unreachable)',
});

/** For what waits: what it waits for. */
export const untilFlag = presetStatuses(deliveryVocabulary, {
  default: 'delivered',
  summary: 'Status to wait for (comma-separated for any of several)',
});

/** For what makes deliveries: whether it then waits, and for what. */
export const arrivalFlags = {
  wait: statusesFlag(deliveryVocabulary, {
    summary: 'Then wait until each delivery reaches this status, such as delivered',
  }),
  failOn: failOnFlag,
};

/** For what follows: where it ends before the delivery does. */
export const endFlags = {
  until: statusesFlag(deliveryVocabulary, { summary: 'Stop at any of these statuses or a later one' }),
  failOn: failOnFlag,
};

interface FollowValues {
  until: Named;
  failOn: Named;
  timeout: number | undefined;
  interval: number | undefined;
  changesOnly: boolean;
}

/** Follows a delivery as the flags say; `words` are those of the command that does. */
export async function followDelivery(
  context: Context,
  delivery: Delivery,
  flags: FollowValues,
  [command, more]: readonly [command: string, flags: { watch?: true }],
): Promise<StreamResult> {
  const { until, failOn } = flags;
  const isEnd = until === null && failOn === null;
  const goal = { until: until?.statuses ?? (['delivered'] as const), fail_on: failOn?.statuses ?? null };
  const again = invocation(command, [delivery.id], { ...more, ...typedWaiting(context, flags) });
  const { watchDelivery } = await import('./watching.ts');
  return watchDelivery(context, delivery, { goal: isEnd ? null : goal, waiting: waitingOf(flags), again });
}
