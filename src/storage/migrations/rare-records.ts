/** Adds indexes for rare records in a long log: charges of one kind, recent events. */
export function rareRecords(): string[] {
  return [
    'create index charges_kind on charges (account_id, test_mode, kind, id)',
    'create index events_time on events (account_id, test_mode, created_at, position)',
  ];
}
