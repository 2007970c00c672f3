/** Orders that are dispatched together, by hand or automatically, and what became of them. */
import { defineOperation } from './operation.ts';
import {
  Cents,
  Count,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  Reference,
  Several,
  type Static,
  Type,
} from './schema.ts';
import { autoPreferences, batchStatuses, outcomes, tryStatuses } from './vocabulary.ts';

/** The immediate response of auto dispatch; the outcome follows as events. */
export const AcceptedBatch = Type.Object(
  {
    object: Type.Literal('batch'),
    batch_id: Id('bat'),
    status: Type.Enum(batchStatuses),
    order_count: Count(),
    test_mode: Type.Boolean(),
  },
  { title: 'AcceptedBatch' },
);
export type AcceptedBatch = Static<typeof AcceptedBatch>;

/** The number of orders of a batch in each outcome; the counts always add up to `order_count`. */
export const BatchCounts = Type.Object({
  pending: Count(),
  dispatched: Count(),
  unfulfilled: Count(),
  failed: Count(),
  canceled: Count(),
});
export type BatchCounts = Static<typeof BatchCounts>;

/** The settings of a batch, with defaults filled in. */
export const BatchSettings = Type.Object({
  mechanism: Type.Literal('auto'),
  quote_preference: Type.Enum(autoPreferences),
  providers: Nullable(
    Type.Array(Type.String(), { description: 'Null: all providers available to the account' }),
  ),
  max_cost: Nullable(Count({ description: 'In cents; null: no limit' })),
  retry_window: Count({ maximum: 86_400, description: 'Seconds' }),
  retry_interval: Count({ minimum: 10, maximum: 3600, description: 'Seconds' }),
});
export type BatchSettings = Static<typeof BatchSettings>;

export const BatchOrder = Type.Object(
  {
    order_id: Id('ord'),
    external_order_ref: Type.String(),
    status: Type.Enum(outcomes, {
      description: 'Outcome in this batch; later changes of the delivery do not affect it',
    }),
    attempts: Count({ description: 'Number of attempts started' }),
    next_attempt_at: Nullable(Instant('When the next attempt starts; null if none is scheduled')),
    delivery_id: Nullable(Type.String()),
    reason: Type.String({
      description: 'Why the order is not dispatched, or not yet; otherwise empty',
    }),
  },
  { title: 'BatchOrder' },
);
export type BatchOrder = Static<typeof BatchOrder>;

const batchFields = {
  object: Type.Literal('batch'),
  batch_id: Id('bat'),
  status: Type.Enum(batchStatuses),
  order_count: Count(),
  counts: BatchCounts,
  settings: BatchSettings,
  test_mode: Type.Boolean(),
  created_at: Instant(),
  updated_at: Instant(),
  completed_at: Nullable(Instant()),
};

/** A batch without its orders, as in lists and events. */
export const BatchSummary = Type.Object(batchFields, { title: 'BatchSummary' });
export type BatchSummary = Static<typeof BatchSummary>;

export const Batch = Type.Object({ ...batchFields, orders: Type.Array(BatchOrder) }, { title: 'Batch' });
export type Batch = Static<typeof Batch>;

/** Why a provider was not selected in an attempt. */
export const LeftOut = Type.Object(
  {
    provider: Type.String(),
    code: Type.String(),
    reason: Type.String(),
    price: Type.Optional(Cents('Its price without the tip, in cents, if that was above max_cost')),
  },
  { title: 'LeftOut' },
);
export type LeftOut = Static<typeof LeftOut>;

/** One attempt of auto dispatch to find a courier for an order. */
export const Try = Type.Object(
  {
    id: Id('try'),
    object: Type.Literal('try'),
    order_id: Id('ord'),
    batch_id: Id('bat'),
    number: Count({ description: 'From 1' }),
    status: Type.Enum(tryStatuses),
    route_id: Id('rte'),
    provider: Nullable(Type.String({ description: 'Provider whose quote was selected' })),
    quote_id: Nullable(Type.String()),
    delivery_id: Nullable(Type.String()),
    reason: Type.String({ description: 'Why the quote was selected, or why the attempt failed' }),
    left_out: Type.Array(LeftOut, {
      description: 'The other providers, each with the reason why it was not selected',
    }),
    created_at: Instant(),
    ended_at: Nullable(Instant()),
    repeats: Count({
      description:
        'How many attempts right after it ended in the same way, with the same `code` of each provider: they are counted here only, and the number of the next attempt goes on after them',
    }),
    last_at: Nullable(Instant('When the last of these repeated attempts started; null without one')),
  },
  { title: 'Try' },
);
export type Try = Static<typeof Try>;

const batchParams = Exact({ batch_id: Id('bat') });

export const listBatches = defineOperation({
  id: 'ListBatches',
  method: 'GET',
  path: '/v2/batches',
  summary: 'List auto-dispatch batches, newest first',
  tag: 'Batches',
  permission: 'read',
  query: Exact({ status: Type.Optional(Several(batchStatuses)), ...paging }),
  answer: ListOf(BatchSummary),
});

export const getBatch = defineOperation({
  id: 'GetBatch',
  method: 'GET',
  path: '/v2/batches/{batch_id}',
  summary: 'Get a batch with the outcome of each of its orders',
  tag: 'Batches',
  permission: 'read',
  params: batchParams,
  answer: Batch,
  errors: ['record_not_found'],
});

export const cancelBatch = defineOperation({
  id: 'CancelBatch',
  method: 'POST',
  path: '/v2/batches/{batch_id}/cancel',
  summary: 'Cancel the pending orders of a batch',
  tag: 'Batches',
  permission: 'write',
  params: batchParams,
  answer: Batch,
  errors: ['record_not_found'],
});

export const listTries = defineOperation({
  id: 'ListTries',
  method: 'GET',
  path: '/v2/orders/{order_id}/tries',
  summary:
    'List the auto-dispatch attempts of an order, newest first: the selected provider, and why the others were not selected',
  tag: 'Batches',
  permission: 'read',
  params: Exact({ order_id: Reference() }),
  query: Exact(paging),
  answer: ListOf(Try),
  errors: ['record_not_found'],
});
