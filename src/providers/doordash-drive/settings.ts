import type { CourierCapabilities, SettingField } from '../courier.ts';

export const settings: readonly SettingField[] = [
  {
    name: 'developer_id',
    label: 'Developer ID',
    help: 'In the DoorDash Developer Portal under Credentials.',
    is_secret: false,
    is_optional: false,
  },
  {
    name: 'key_id',
    label: 'Key ID',
    help: 'Stands below the developer ID.',
    is_secret: false,
    is_optional: false,
  },
  {
    name: 'signing_secret',
    label: 'Signing secret',
    help: 'Shown once, when the credentials are created.',
    is_secret: true,
    is_optional: false,
  },
  {
    name: 'environment',
    label: 'Environment of the credentials',
    help: 'The portal shows it beside the credentials: both environments have the same address.',
    is_secret: false,
    is_optional: false,
    choices: ['sandbox', 'production'],
  },
  {
    name: 'webhook_authorization',
    label: 'Authorization value of the webhook',
    help: 'A long random text of your own, such as "Basic " with base64, that you also enter in the portal.',
    is_secret: true,
    is_optional: true,
  },
];

export const pushSetup =
  'In the DoorDash Developer Portal, add a webhook with this address and the authorization value of your settings, ' +
  'and choose the delivery events. Without it waybill asks DoorDash for the status of each delivery.';

export const capabilities: CourierCapabilities = {
  vehicles: ['car'],
  largest_item: 'large',
  scheduled: true,
  signature: true,
  photo: true,
  pin: false,
  tip: true,
  edits: true,
  returns: true,
  cancel_until: 'assigned',
  reports: 'push',
  location: true,
  currencies: ['USD'],
  countries: ['US'],
  binding_quotes: true,
  idempotent_create: true,
  find_by_key: true,
};
