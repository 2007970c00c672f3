/** The fields that show whether a record has changed. */
interface Changing {
  status: string;
  updated_at: string;
}

/** True if a record has not changed. A service without change times still reports the status. */
export function isSameRecord(before: Changing | null | undefined, seen: Changing): boolean {
  return before?.updated_at === seen.updated_at && before.status === seen.status;
}
