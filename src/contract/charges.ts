import { deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';
import {
  Count,
  createdBetween,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  Reference,
  type Static,
  Text,
  Type,
} from './schema.ts';
import { chargeKinds, disputeOutcomes, disputeStatuses } from './vocabulary.ts';

// What deliveries have cost: charges and refunds, and the disputes that end with one.

export const Charge = Type.Object(
  {
    id: Id('chg'),
    object: Type.Literal('charge'),
    delivery_id: Id('dlv'),
    kind: Type.Enum(chargeKinds),
    reason: Nullable(
      Type.String({
        description:
          "Of an `adjustment`, why the courier's amount differs from what was charged; null for other kinds",
      }),
    ),
    amount: Type.Integer({ description: 'In cents; refunds are negative, adjustments have either sign' }),
    currency: Type.Literal('USD'),
    test_mode: Type.Boolean(),
    created_at: Instant(),
  },
  { title: 'Charge' },
);
export type Charge = Static<typeof Charge>;

export const listCharges = operation({
  id: 'ListCharges',
  method: 'GET',
  path: '/v2/charges',
  summary: 'List charges and refunds, newest first',
  tag: 'Charges',
  permission: 'read',
  query: Exact({
    delivery_id: Type.Optional(Reference()),
    order_id: Type.Optional(Reference()),
    kind: Type.Optional(Type.Enum(chargeKinds)),
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(Charge),
  errors: [],
});

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
