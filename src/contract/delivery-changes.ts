import { Delivery, deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Cents, Count, Email, Exact, Id, Text, Type, Words } from './schema.ts';

export const editDelivery = operation({
  id: 'EditDelivery',
  method: 'PATCH',
  path: '/v1/delivery/{deliveryid}',
  summary: 'Change notes, units, names, phone numbers, e-mail address or tip of a delivery before pickup',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact(
    {
      pickup_name: Type.Optional(Words(200)),
      pickup_phone_number: Type.Optional(Words(30)),
      pickup_unit: Type.Optional(Text(200)),
      pickup_notes: Type.Optional(Text(500)),
      dropoff_name: Type.Optional(Words(200)),
      dropoff_phone_number: Type.Optional(Words(30)),
      dropoff_email: Type.Optional(Email()),
      dropoff_unit: Type.Optional(Text(200)),
      dropoff_notes: Type.Optional(Text(500)),
      tip: Type.Optional(Cents('Tip for the driver in cents, not less than before; what it adds is charged')),
    },
    { minProperties: 1 },
  ),
  answer: Delivery,
  errors: ['record_not_found', 'delivery_not_editable'],
});

export const cancelDelivery = operation({
  id: 'CancelDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/cancel',
  summary: 'Cancel a delivery; the courier may charge a cancellation fee',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    reason: Type.Optional(Text(500)),
    operator: Type.Optional(
      Type.Boolean({
        description:
          'Cancel as the operator of the service; requires an admin key. It is possible on the way back, too: what was charged then stays.',
      }),
    ),
  }),
  answer: Delivery,
  errors: ['record_not_found', 'delivery_not_cancelable'],
});

/** The cost of canceling a delivery now. */
export const Cancellation = Type.Object(
  {
    object: Type.Literal('cancellation'),
    delivery_id: Id('dlv'),
    cancelable: Type.Boolean(),
    reason: Type.String({ description: 'Why the delivery cannot be canceled; empty if it can' }),
    fee: Count({ description: 'Cancellation fee, in cents' }),
    fee_unknown: Type.Optional(
      Type.Boolean({
        description: 'Whether the courier charges what it does not say before: `fee` is then 0',
      }),
    ),
    refund: Count({ description: 'Amount refunded, in cents; the fee is charged separately' }),
  },
  { title: 'Cancellation' },
);
export type Cancellation = Static<typeof Cancellation>;

export const getCancellation = operation({
  id: 'GetCancellation',
  method: 'GET',
  path: '/v1/delivery/{deliveryid}/cancellation',
  summary: 'Check whether a delivery can be canceled now, and at what cost',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  answer: Cancellation,
  errors: ['record_not_found'],
});

export const disputeDelivery = operation({
  id: 'DisputeDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/dispute',
  summary: 'Dispute a delivery reported as delivered, within 30 days',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({ reason: Words(500) }),
  answer: Delivery,
  errors: ['record_not_found', 'delivery_not_disputable'],
});
