/** ISO 8601 in UTC with milliseconds, as every record gives its times. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

export function instantOrNull(at: number | null): string | null {
  return at === null ? null : instant(at);
}

/** Milliseconds of an instant that a request gave, or undefined where none was given. */
export function parseInstant(text: string | undefined): number | undefined {
  // A leap second is the end of the second before it: clocks here know no 61st.
  return text === undefined ? undefined : Date.parse(text.replace(/:60(\.\d+)?/, ':59.999'));
}
