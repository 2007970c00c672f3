import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { canMove } from './delivery-states.ts';

/** What of a delivery decides about a report. Instants in milliseconds. */
export interface Reported {
  status: DeliveryStatus;
  /** When the latest report that moved it occurred; 0 before the first. */
  reported_at: number;
}

/**
 * What a provider's report does to the status: moves it, or is kept without effect because it repeats the status,
 * is older than what is known, or is no step from where the delivery stands (interface, delivery states).
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
