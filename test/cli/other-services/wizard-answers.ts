import { type Reply, typedOrder } from '../commands/new/person.ts';

/** The replies that lead from the first question to the dispatch with a provider. */
export function toTheEnd(provider: string): (readonly [string, Reply])[] {
  return [
    ...typedOrder,
    ['What would you like to send?', 'Continue: create a route'],
    ['What now?', 'Request quotes'],
    ['Choose a quote', provider],
    [`Dispatch with ${provider}`, 'Dispatch it'],
  ];
}
