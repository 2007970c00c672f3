/** ISO 8601 in UTC with milliseconds, as in every record. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

export function instantOrNull(at: number | null): string | null {
  return at === null ? null : instant(at);
}

/** Milliseconds of a date and time in a request; undefined if it is absent. */
export function parseInstant(text: string | undefined): number | undefined {
  // A leap second becomes the end of the second before it.
  return text === undefined ? undefined : Date.parse(text.replace(/:60(\.\d+)?/, ':59.999'));
}
