import { couriers } from './couriers.ts';
import type { Provider } from './port.ts';
import { simulatedProvider } from './simulated.ts';

/** The simulated providers, in the order in which they are listed everywhere. */
export function simulatedProviders(): Provider[] {
  return couriers.map(simulatedProvider);
}
