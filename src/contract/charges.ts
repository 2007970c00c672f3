import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { createdBetween, Exact, Id, Instant, ListOf, Nullable, paging, Reference, Type } from './schema.ts';
import { chargeKinds } from './vocabulary.ts';

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
