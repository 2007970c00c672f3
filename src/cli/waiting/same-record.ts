/** A record as far as it tells whether something happened to it. */
interface Changing {
  status: string;
  updated_at: string;
}

/** Whether nothing happened to a record. A service that does not say when it changed still says its status. */
export function isSameRecord(before: Changing | null | undefined, seen: Changing): boolean {
  return before?.updated_at === seen.updated_at && before.status === seen.status;
}
