/** The type that a body names, which may be anything: anybody can send to a receiver. Null where it names none. */
export function eventTypeIn(body: string): string | null {
  try {
    const data: unknown = JSON.parse(body);
    const isNamed = typeof data === 'object' && data !== null && 'type' in data;
    return isNamed && typeof data.type === 'string' ? data.type : null;
  } catch {
    return null;
  }
}
