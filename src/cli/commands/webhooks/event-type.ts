/** Reads the event type of a body, which may be anything, as anyone can send to a receiver. Null if it has none. */
export function eventTypeIn(body: string): string | null {
  try {
    const data: unknown = JSON.parse(body);
    const isNamed = typeof data === 'object' && data !== null && 'type' in data;
    return isNamed && typeof data.type === 'string' ? data.type : null;
  } catch {
    return null;
  }
}
