/** Finds what is rare in a long log without reading all of it: a kind of charges, the events of the last while. */
export function rareRecords(): string[] {
  return [
    'create index charges_kind on charges (account_id, test_mode, kind, id)',
    'create index events_time on events (account_id, test_mode, created_at, position)',
  ];
}
