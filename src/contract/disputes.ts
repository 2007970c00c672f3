import { deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Id, Instant, ListOf, Nullable, paging, Text, Type } from './schema.ts';
import { disputeOutcomes, disputeStatuses } from './vocabulary.ts';

/** The dispute of a delivery. A delivery has at most one. */
export const Dispute = Type.Object(
  {
    object: Type.Literal('dispute'),
    delivery_id: Id('dlv'),
    reason: Type.String(),
    status: Type.Enum(disputeStatuses),
    outcome: Nullable(Type.Enum(disputeOutcomes)),
    amount: Count({ description: 'Refunded amount, in cents; 0 without a refund' }),
    note: Type.String({ description: 'Explanation of the outcome; empty if there is none' }),
    test_mode: Type.Boolean(),
    created_at: Instant(),
    resolved_at: Nullable(Instant('When the dispute was resolved; null while it is open')),
  },
  { title: 'Dispute' },
);
export type Dispute = Static<typeof Dispute>;

export const listDisputes = operation({
  id: 'ListDisputes',
  method: 'GET',
  path: '/v2/disputes',
  summary: 'List disputes, newest delivery first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact({ status: Type.Optional(Type.Enum(disputeStatuses)), ...paging }),
  answer: ListOf(Dispute),
  errors: [],
});

export const getDispute = operation({
  id: 'GetDispute',
  method: 'GET',
  path: '/v1/delivery/{deliveryid}/dispute',
  summary: 'Get the dispute of a delivery',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  answer: Dispute,
  errors: ['record_not_found'],
});

export const resolveDispute = operation({
  id: 'ResolveDispute',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/dispute/resolve',
  summary: 'Resolve the dispute of a delivery, with or without a refund',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    outcome: Type.Enum(disputeOutcomes),
    amount: Type.Optional(
      Count({
        minimum: 1,
        description: 'Amount to refund, in cents, with the outcome refunded; default: everything paid',
      }),
    ),
    note: Type.Optional(Text(500)),
  }),
  answer: Dispute,
  errors: ['record_not_found', 'dispute_not_open'],
});
