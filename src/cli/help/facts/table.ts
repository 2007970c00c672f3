import { deliveryFacts } from './deliveries.ts';
import { eventFacts } from './events.ts';
import type { Facts } from './fact.ts';
import { orderFacts } from './orders.ts';
import { sandboxFacts } from './sandbox.ts';
import { settingFacts } from './settings.ts';

/** What help tells of each command beyond its flags, by its words: `orders create`. */
export const facts: Readonly<Record<string, Facts>> = {
  ...orderFacts,
  ...deliveryFacts,
  ...eventFacts,
  ...sandboxFacts,
  ...settingFacts,
};

const unknown: Facts = { calls: [], answers: [], related: [] };

export function factsOf(path: readonly string[]): Facts {
  return facts[path.join(' ')] ?? unknown;
}
