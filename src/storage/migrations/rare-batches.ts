/** Keeps orders and events without a batch, which are most, out of the indexes by batch. */
export function rareBatches(): string[] {
  return [
    'drop index events_batch',
    'create index events_batch on events (batch_id, position) where batch_id is not null',
    'drop index orders_batch',
    'create index orders_batch on orders (batch_id, id) where batch_id is not null',
  ];
}
