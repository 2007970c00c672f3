// Street words and directions are written out or shortened: a search for one form finds the other.

/** The forms of a street word; the first one is the longest. */
const streetForms: readonly (readonly string[])[] = [
  ['street', 'st', 'str'],
  ['avenue', 'ave', 'av'],
  ['boulevard', 'blvd'],
  ['drive', 'dr'],
  ['road', 'rd'],
  ['lane', 'ln'],
  ['court', 'ct'],
  ['place', 'pl'],
  ['parkway', 'pkwy'],
  ['highway', 'hwy'],
  ['expressway', 'expy'],
  ['terrace', 'ter'],
  ['circle', 'cir'],
  ['square', 'sq'],
  ['trail', 'trl'],
  ['plaza', 'plz'],
  ['alley', 'aly'],
  ['apartment', 'apt'],
  ['suite', 'ste'],
  ['floor', 'fl'],
  ['building', 'bldg'],
];

const directionForms: readonly (readonly string[])[] = [
  ['north', 'n'],
  ['south', 's'],
  ['east', 'e'],
  ['west', 'w'],
  ['northeast', 'ne'],
  ['northwest', 'nw'],
  ['southeast', 'se'],
  ['southwest', 'sw'],
];

const formsOf = new Map(
  [...streetForms, ...directionForms].flatMap((forms) => forms.map((form) => [form, forms])),
);
const streetWords = new Set(streetForms.flat());
const directions = new Set(directionForms.flat());

/** The other forms of a street word or direction; empty for any other word. */
export function otherForms(word: string): readonly string[] {
  return (formsOf.get(word) ?? []).filter((form) => form !== word);
}

/** Leaves directions out of a search for a street, whose stored address may have none: `N Michigan Avenue`. */
export function withoutDirections(words: readonly string[]): readonly string[] {
  const isStreet = words.some((word) => streetWords.has(word));
  const left = words.filter((word) => !directions.has(word) && !streetWords.has(word));
  return isStreet && left.length > 0 ? words.filter((word) => !directions.has(word)) : words;
}
