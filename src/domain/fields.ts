/** The fields of an object of unknown form, such as parsed JSON. */
export type Fields = Record<string, unknown>;

/** True for an object that is no array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that are not undefined. */
export function withoutAbsent<T extends object>(fields: T): Defined<T>;
export function withoutAbsent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The names of the fields of a record whose fields are known. */
export function fieldNames<K extends string>(record: Readonly<Record<K, unknown>>): K[];
export function fieldNames(record: object): string[] {
  return Object.keys(record);
}

/** A record with the same value under each of the names. */
export function sameForAll<T>(names: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
