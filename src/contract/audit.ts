import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { createdBetween, Exact, Id, Instant, ListOf, Nullable, paging, Reference, Type } from './schema.ts';
import { auditActors } from './vocabulary.ts';

/** A change of the account's records, and who made it. It has no personal data of recipients. */
export const AuditEntry = Type.Object(
  {
    id: Id('aud'),
    object: Type.Literal('audit_entry'),
    operation: Type.String({
      description:
        'The operation of the request, such as CancelDelivery; ReceiveCourierReport for a report of a courier, and for the operator such as SuspendAccount',
    }),
    record_id: Nullable(
      Type.String({
        description:
          'The record that was changed or created: its ID, or the name of a courier; null for an operation on none, or on several',
      }),
    ),
    detail: Nullable(
      Type.String({
        description:
          'What a driver tapped, `pin_locked` for the wrong PIN that locked a handover, the status that a courier reported, or the driver to whom a delivery was assigned',
      }),
    ),
    actor: Type.Enum(auditActors, {
      description:
        'Who changed it: an API key, a driver on their page, the recipient on the tracking page, a courier, or the operator on the machine of the database',
    }),
    actor_name: Nullable(
      Type.String({
        description:
          'Name of the key; of the driver, null once removed from the fleet; of the courier; login of the operator on the machine',
      }),
    ),
    key_id: Nullable(Id('key')),
    key_last_four: Nullable(Type.String({ description: 'The last four characters of the key' })),
    driver_id: Nullable(Id('drv')),
    address: Nullable(
      Type.String({
        description:
          'IP address of the caller, of IPv6 its network; null for a command of the embedded service, a report that the service asked for, and the operator',
      }),
    ),
    request_id: Nullable(
      Type.String({ description: 'The request of an API key, as in the log of the service' }),
    ),
    test_mode: Type.Boolean(),
    created_at: Instant('When the request arrived, in real time'),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const listAuditEntries = operation({
  id: 'ListAuditEntries',
  method: 'GET',
  path: '/v2/audit',
  summary: "List who changed what of the account's records, newest first",
  tag: 'Account',
  permission: 'admin',
  query: Exact({
    actor: Type.Optional(Type.Enum(auditActors)),
    key_id: Type.Optional(Reference()),
    operation: Type.Optional(Reference()),
    record_id: Type.Optional(Reference()),
    order_id: Type.Optional(
      Reference({ description: 'Changes of the order, its deliveries and their routes' }),
    ),
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(AuditEntry),
  errors: [],
});
