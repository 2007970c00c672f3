/** The path of a value in a document. */
export type Place = readonly (string | number)[];

/** The changes of one value. */
export const mutations = [
  'missing',
  'null',
  'unknown word',
  'number',
  'array',
  'object',
  'text',
  'boolean',
] as const;
type Mutation = (typeof mutations)[number];

/** A value that no version of the API has. */
export const unknownWord = 'never_heard_of';

const values: Readonly<Record<Exclude<Mutation, 'missing'>, unknown>> = {
  null: null,
  'unknown word': unknownWord,
  number: 1.5,
  array: [1, null],
  object: { strange: { deep: true } },
  text: '',
  boolean: true,
};

/** The paths of all values in a JSON text; empty if it is invalid. */
export function placesIn(text: string): Place[] {
  try {
    return placesOf(JSON.parse(text), []);
  } catch {
    return [];
  }
}

function placesOf(value: unknown, place: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  // The records of a list are alike: the first two represent all.
  const inner = Array.isArray(value) ? [...value.entries()].slice(0, 2) : Object.entries(value);
  return [
    place,
    ...inner.flatMap(([name, each]: [string | number, unknown]) => placesOf(each, [...place, name])),
  ];
}

/** The text with one changed value. The unknown word only replaces words. */
export function mutated(text: string, place: Place, mutation: Mutation): string {
  const changed = withChange(JSON.parse(text), place, mutation);
  return changed === undefined ? '' : JSON.stringify(changed);
}

function withChange(value: unknown, place: Place, mutation: Mutation): unknown {
  const [name, ...rest] = place;
  if (name === undefined) return changedValue(value, mutation);
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((each: unknown, index) =>
      index === name ? withChange(each, rest, mutation) : each,
    );
    return items.filter((each) => each !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, each]: [string, unknown]) => [
    key,
    key === name ? withChange(each, rest, mutation) : each,
  ]);
  return Object.fromEntries(fields.filter(([, each]) => each !== undefined));
}

function changedValue(value: unknown, mutation: Mutation): unknown {
  if (mutation === 'missing') return undefined;
  return mutation === 'unknown word' && typeof value !== 'string' ? value : values[mutation];
}
