/** The account of an API key: its settings, its keys, and its audit log. */
import { defineOperation } from './operation.ts';
import {
  Count,
  createdBetween,
  Email,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  Reference,
  Several,
  type Static,
  Text,
  Type,
  Words,
} from './schema.ts';
import { auditActors, permissions } from './vocabulary.ts';

const PermissionName = Type.Enum(permissions);

/** Cents, or a share of `payment_amount` in percent. */
const adjustment = (record: boolean) => {
  const object = record ? Type.Object : Exact;
  return Type.Union([
    object({ kind: Type.Literal('fixed'), value: Count({ description: 'Cents' }) }),
    object({ kind: Type.Literal('percent'), value: Count({ maximum: 100 }) }),
  ]);
};
export const Adjustment = adjustment(true);
export type Adjustment = Static<typeof Adjustment>;

const PaymentMethod = Exact(
  { status: Type.Enum(['active', 'declining']) },
  {
    description:
      'Simulates payments of test mode: a declining payment method makes deliveries fail, like a declined card. ' +
      'Live keys cannot set it: couriers bill you directly',
  },
);

const fleetFields = {
  per_delivery: Count({ description: 'Cents for each delivery by your own drivers' }),
  per_mile: Count({ description: 'Cents for each mile of a route of your own drivers' }),
  ask_pin: Type.Boolean({ description: 'Whether recipients must tell your drivers a PIN' }),
  share_phone: Type.Boolean({
    description:
      'Whether recipients may call the driver who is on the way to them: the tracking page has the number',
  }),
};

/** The prices of deliveries by own drivers, and their proof. */
const Fleet = Exact(fleetFields, { title: 'FleetSettings' });

/** Changes of the prices: a missing field keeps its value. */
const FleetChanges = Exact(
  {
    per_delivery: Type.Optional(fleetFields.per_delivery),
    per_mile: Type.Optional(fleetFields.per_mile),
    ask_pin: Type.Optional(fleetFields.ask_pin),
    share_phone: Type.Optional(fleetFields.share_phone),
  },
  { minProperties: 1 },
);

const Template = Exact(
  {
    subject: Type.Optional(Words(200, { description: 'The subject of the message' })),
    text: Type.Optional(Words(5000, { description: 'The text of the message' })),
  },
  {
    description:
      'Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in',
  },
);

const noticesFields = {
  language: Type.Enum(['en', 'es'], { description: 'The language of the texts' }),
  from_name: Type.Optional(
    Words(100, {
      description:
        'The name of the sender, where the operator lets accounts choose it; by default that of the pickup',
    }),
  ),
  reply_to: Type.Optional(
    Email({
      description:
        'Where replies go, where the operator lets accounts choose it; by default to the address of the service',
    }),
  ),
  templates: Type.Optional(
    Exact(
      {
        dispatched: Type.Optional(Template),
        close_by: Type.Optional(Template),
        delivered: Type.Optional(Template),
        failed: Type.Optional(Template),
      },
      { description: 'Texts of the shop, by notice' },
    ),
  ),
};

/** The notices to recipients by e-mail. */
const Notices = Exact(noticesFields, { title: 'NoticeSettings' });
export type Notices = Static<typeof Notices>;
/** When recipients get a notice. */
export type NoticeKind = keyof NonNullable<Notices['templates']>;

export const Account = Type.Object(
  {
    object: Type.Literal('account'),
    account_id: Id('acct'),
    name: Type.String(),
    test_mode: Type.Boolean({ description: 'Mode of the API key' }),
    permission: PermissionName,
    geocoder: Nullable(
      Type.String({
        description:
          'The kind of the server that finds addresses, `nominatim` or `census`; null: none is set',
      }),
    ),
    router: Nullable(
      Type.Enum(['answering', 'failing'], {
        description: 'The server that knows driving times, by its latest answer; null: none is set',
      }),
    ),
    sandbox: Type.Boolean({ description: 'Whether the service simulates couriers for test keys' }),
    public_url: Nullable(Type.String({ description: 'Base URL of tracking links' })),
    upsell: Nullable(Adjustment),
    subsidy: Nullable(Adjustment),
    payment_method: PaymentMethod,
    tip_limit: Nullable(Count({ description: "In cents; null: the larger of 10000 and the order's value" })),
    fleet: Fleet,
    notices: Nullable(Notices),
    map_tiles: Nullable(
      Type.String({
        description: 'The host that the maps of pages load tiles from; null: maps are drawn, without streets',
      }),
    ),
    providers: Type.Array(Type.String(), {
      description: 'The names of the providers; empty where none is available',
    }),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

export const getAccount = defineOperation({
  id: 'GetAccount',
  method: 'GET',
  path: '/v2/account',
  summary: 'Get the account, mode and permission of the API key',
  tag: 'Account',
  permission: 'read',
  answer: Account,
});

export const updateAccount = defineOperation({
  id: 'UpdateAccount',
  method: 'PATCH',
  path: '/v2/account',
  summary: "Update the account settings of the API key's mode; null resets a setting",
  tag: 'Account',
  permission: 'admin',
  body: Exact(
    {
      upsell: Type.Optional(Nullable(adjustment(false))),
      subsidy: Type.Optional(Nullable(adjustment(false))),
      payment_method: Type.Optional(Nullable(PaymentMethod)),
      tip_limit: Type.Optional(Nullable(Count())),
      fleet: Type.Optional(Nullable(FleetChanges)),
      notices: Type.Optional(Nullable(Exact(noticesFields))),
      public_url: Type.Optional(
        Nullable(Type.String({ maxLength: 200, pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$' })),
      ),
    },
    { minProperties: 1 },
  ),
  keeps_nulls: true,
  answer: Account,
  errors: ['simulation_not_allowed'],
});

const fields = {
  id: Id('key'),
  object: Type.Literal('api_key'),
  name: Type.String(),
  permission: PermissionName,
  test_mode: Type.Boolean(),
  last_four: Type.String({ description: 'The last four characters of the key' }),
  created_at: Instant(),
  revoked_at: Nullable(Instant()),
  expires_at: Nullable(Instant('When the key stops working; null if it does not expire')),
  last_used_at: Nullable(
    Instant('When the key was last used, in real time and to the minute; null if it was never used'),
  ),
};

export const ApiKey = Type.Object(fields, { title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  { ...fields, key: Nullable(Type.String({ description: 'The API key; shown only in this response' })) },
  { title: 'NewApiKey' },
);
export type NewApiKey = Static<typeof NewApiKey>;

export const createKey = defineOperation({
  id: 'CreateApiKey',
  method: 'POST',
  path: '/v2/api_keys',
  summary: 'Create an API key in the mode of the key used',
  tag: 'Account',
  permission: 'admin',
  body: Exact({
    permission: PermissionName,
    name: Type.Optional(Text(200)),
    expires_at: Type.Optional(Instant()),
  }),
  answer: NewApiKey,
  secrets: ['key'],
});

export const listKeys = defineOperation({
  id: 'ListApiKeys',
  method: 'GET',
  path: '/v2/api_keys',
  summary: 'List the API keys of the account in the mode of the key used',
  tag: 'Account',
  permission: 'admin',
  query: Exact(paging),
  answer: ListOf(ApiKey),
});

export const revokeKey = defineOperation({
  id: 'RevokeApiKey',
  method: 'DELETE',
  path: '/v2/api_keys/{key_id}',
  summary: 'Revoke an API key immediately',
  tag: 'Account',
  permission: 'admin',
  params: Exact({ key_id: Id('key') }),
  answer: ApiKey,
  errors: ['record_not_found', 'last_admin_key'],
});

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
          'What a driver tapped, `pin_locked` for the wrong PIN that locked a handover, the status that a courier reported, the driver to whom a delivery was assigned, or the fields that were given or changed, such as `dropoff_notes, paused_until=2026-03-02T20:58:00.000Z`: with their value only if it is null, a boolean or a time; of several created records how many, such as `3 orders`',
      }),
    ),
    record_name: Nullable(
      Type.String({
        description: 'Your reference of the order or delivery, or the name of the store, as it is now',
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

export const listAuditEntries = defineOperation({
  id: 'ListAuditEntries',
  method: 'GET',
  path: '/v2/audit',
  summary:
    "List who changed what of the account's records, newest first; without admin permission of one order, delivery or route",
  tag: 'Account',
  permission: 'read',
  query: Exact({
    actor: Type.Optional(Several(auditActors)),
    key_id: Type.Optional(Reference()),
    operation: Type.Optional(
      Reference({ description: 'Such as `UpdateStore,CreateWebhookEndpoint`: any of these' }),
    ),
    record_id: Type.Optional(Reference()),
    order_id: Type.Optional(
      Reference({ description: 'Changes of the order, its batch, its deliveries and their routes' }),
    ),
    external_order_ref: Type.Optional(
      Reference({ description: 'The same of the latest ten orders with this reference' }),
    ),
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(AuditEntry),
});
