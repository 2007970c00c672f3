/** The types of the library's client, as the sources see them. The build writes plain ones for other programs. */
import type { Calls as BaseCalls } from '../client/client.ts';
import type { List } from './calls.ts';

export type { Event } from '../contract/events.ts';
export type { ClockAdvance, ClockMove } from '../contract/sandbox.ts';

/** Every call, with lists that can be iterated. The build declares the same calls with plain types. */
export type Calls = { [N in keyof BaseCalls]: { [V in keyof BaseCalls[N]]: Listed<BaseCalls[N][V]> } };

type Listed<C> = C extends (...input: infer I) => Promise<{ data: { object: 'list'; data: (infer R)[] } }>
  ? (...input: I) => List<R>
  : C;
