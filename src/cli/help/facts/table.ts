import type { CommandSpec } from '../../kit/args/input.ts';
import { withFields } from '../shapes.ts';
import { deliveryFacts } from './deliveries.ts';
import { type Facts, lines } from './fact.ts';
import { eventFacts, orderFacts } from './orders.ts';
import { sandboxFacts, settingFacts } from './settings.ts';

/** The help facts of each command, by its path: `orders create`. */
export const facts: Readonly<Record<string, Facts>> = {
  ...orderFacts,
  ...deliveryFacts,
  ...eventFacts,
  ...sandboxFacts,
  ...settingFacts,
};

const unknown: Facts = { calls: [], answers: [], related: [] };

/** Returns the facts of a command, with its lines if it can be watched. */
export function factsOf(path: readonly string[], { flags }: Pick<CommandSpec, 'flags'>): Facts {
  const known = facts[path.join(' ')] ?? unknown;
  const [first] = known.answers;
  const noun = nouns[path[0] ?? ''];
  const isTold = !Object.hasOwn(flags, 'watch') || known.answers.some(({ form }) => form === 'lines');
  if (isTold || first === undefined || noun === undefined) return known;
  const shape = withFields({ type: `"${noun}.current" | "${noun}.updated"` }, first.shape);
  return { ...known, answers: [...known.answers, lines(shape, 'with --watch')] };
}

/** The prefix of the type of a --watch line. */
const nouns: Readonly<Record<string, string>> = { orders: 'order', routes: 'route', deliveries: 'delivery' };
