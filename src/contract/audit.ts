import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { createdBetween, Exact, Id, Instant, ListOf, Nullable, paging, Reference, Type } from './schema.ts';

/** A change that was made with an API key. It has no personal data of recipients. */
export const AuditEntry = Type.Object(
  {
    id: Id('aud'),
    object: Type.Literal('audit_entry'),
    operation: Type.String({ description: 'The operation of the request, such as CancelDelivery' }),
    record_id: Nullable(
      Type.String({
        description:
          'The record that was changed or created: its ID, or the name of a courier; null for an operation on none, or on several',
      }),
    ),
    key_id: Id('key'),
    key_last_four: Type.String({ description: 'The last four characters of the key' }),
    address: Nullable(
      Type.String({
        description:
          'IP address of the caller, of IPv6 its network; null for a command of the embedded service',
      }),
    ),
    request_id: Type.String({ description: 'The request, as in the log of the service' }),
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
  summary: 'List the changes made with the API keys of the account, newest first',
  tag: 'Account',
  permission: 'admin',
  query: Exact({
    key_id: Type.Optional(Reference()),
    operation: Type.Optional(Reference()),
    record_id: Type.Optional(Reference()),
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(AuditEntry),
  errors: [],
});
