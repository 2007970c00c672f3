/** The fields of an object of unknown form, such as parsed JSON. */
export type Fields = Record<string, unknown>;

/** True for an object that is no array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
