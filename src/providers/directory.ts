import { couriers } from './couriers.ts';
import type { CourierBooks, Provider } from './port.ts';
import { simulatedProvider } from './simulated.ts';

/** The simulated providers, in the order in which they are listed everywhere, with the books that they keep. */
export function simulatedProviders(books: CourierBooks): Provider[] {
  return couriers.map((courier) => simulatedProvider(courier, books));
}
