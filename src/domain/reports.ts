import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { canMove } from './delivery-states.ts';

/** The state of a delivery that a report is compared to. Times in milliseconds. */
export interface Reported {
  status: DeliveryStatus;
  /** When the latest report that changed the status occurred; 0 before the first. */
  reported_at: number;
}

/**
 * The effect of a provider's report on the status: it changes the status, or has no effect because it repeats the
 * status, is older than the last report, or is not a legal transition.
 */
export type Effect = 'moved' | 'repeated' | 'older' | 'not_a_step' | 'none';

export function effectOf(
  report: { status: DeliveryStatus | null; occurred_at: number },
  known: Reported,
): Effect {
  if (report.status === null) return 'none';
  if (report.status === known.status) return 'repeated';
  if (report.occurred_at < known.reported_at) return 'older';
  return canMove(known.status, report.status) ? 'moved' : 'not_a_step';
}
