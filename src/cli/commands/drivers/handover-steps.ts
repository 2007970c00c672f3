import type { Driver } from '../../../contract/drivers.ts';
import { invocation, type NextStep } from '../../kit/result/message.ts';

/**
 * The commands that give a driver's delivery to another one, on duty if there is one and with the fewest stops, and
 * that report what became of it, which asks for the status and the note.
 */
export function handoverSteps(
  delivery_id: string,
  driver_id: string,
  drivers: readonly Driver[],
): NextStep[] {
  const [other] = drivers
    .filter(({ id }) => id !== driver_id)
    .sort(
      (left, right) => Number(right.on_duty) - Number(left.on_duty) || left.stops_left - right.stops_left,
    );
  const report = { ...invocation('deliveries report', [delivery_id]), when: 'Report what became of it' };
  if (other === undefined) return [report];
  const assign = invocation('deliveries assign', [delivery_id], { driver: other.id });
  return [{ ...assign, when: `Give it to ${other.name}` }, report];
}
