/** What ends each try of an order in the same way, as its dropoff phone number simulates it in the sandbox. */
import type { AnyDelivery } from '../../contract/deliveries.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { magicScenario, type Script, scenarios } from '../../domain/scenarios.ts';

/** Why its phone number would end each other try badly, too; null if it does not, or if it has not ended so. */
export function simulatedEndText(delivery: AnyDelivery): string | null {
  const { status, dropoffs, service } = delivery;
  const isOver = ['failed', 'provider_canceled', 'burq_canceled', 'returned'].includes(status);
  // Drivers of the own fleet are not simulated.
  return isOver && service !== fleet_provider ? simulatedTryText(dropoffs?.[0]?.dropoff_phone_number) : null;
}

/** `its phone number simulates no_driver: each try is canceled`; null if a try can end well. */
export function simulatedTryText(dropoff_phone_number: string | null | undefined): string | null {
  const name = magicScenario(dropoff_phone_number ?? '');
  const end = name === null ? null : endOfTries(scenarios[name].script);
  return end === null ? null : `its phone number simulates ${name}: ${end}`;
}

function endOfTries({ payment, quotes, capacity, interruption, handover, return: back }: Script) {
  if (payment === 'declined') return 'each payment is declined';
  if (quotes === 'none') return 'no courier offers a price';
  if (capacity === 'none' || back === 'stuck') return 'each try fails';
  if (handover !== undefined) return 'each try comes back';
  return interruption === undefined || interruption === 'reassigned' ? null : 'each try is canceled';
}
