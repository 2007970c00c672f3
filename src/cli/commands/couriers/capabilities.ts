import type { Courier } from '../../../contract/couriers.ts';

type Capabilities = Courier['capabilities'];

/** The capabilities of a courier, in a word or two each. */
const abilities: readonly [text: string, has: (capabilities: Capabilities) => boolean][] = [
  ['schedule', ({ scheduled }) => scheduled],
  ['signature', ({ signature }) => signature],
  ['photo', ({ photo }) => photo],
  ['PIN', ({ pin }) => pin],
  ['tip', ({ tip }) => tip],
  ['edit', ({ edits }) => edits],
  ['return', ({ returns }) => returns],
  ['cancel after pickup', ({ cancel_until }) => cancel_until === 'refused'],
  ['vehicle choice', ({ vehicles }) => vehicles.length > 0],
  ['location', ({ location }) => location],
  ['push', ({ reports }) => reports === 'push'],
];

export function canDo(capabilities: Capabilities): string[] {
  return abilities.flatMap(([text, has]) => (has(capabilities) ? [text] : []));
}

export function cannotDo(capabilities: Capabilities): string[] {
  return abilities.flatMap(([text, has]) => (has(capabilities) ? [] : [text]));
}
