/** Keeps the most frequent charges and events out of the indexes by kind and type, and drops one of reports. */
export function narrowIndexes(): string[] {
  return [
    // A report is looked up among those of its delivery.
    'drop index reports_provider',
    'drop index events_type',
    `create index events_type on events (account_id, test_mode, type, position) where type <> 'delivery.updated'`,
    'drop index charges_kind',
    `create index charges_kind on charges (account_id, test_mode, kind, id) where kind <> 'delivery'`,
  ];
}
