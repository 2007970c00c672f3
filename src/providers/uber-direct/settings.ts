import type { CourierCapabilities, CourierSettings, SettingField } from '../courier.ts';

export const settings: readonly SettingField[] = [
  {
    name: 'client_id',
    label: 'Client ID',
    help: 'On direct.uber.com under Developer, for test or for production.',
    is_secret: false,
    is_optional: false,
  },
  {
    name: 'client_secret',
    label: 'Client secret',
    help: 'Stands below the client ID.',
    is_secret: true,
    is_optional: false,
  },
  {
    name: 'customer_id',
    label: 'Customer ID',
    help: 'Stands above the client ID; each organization has its own.',
    is_secret: false,
    is_optional: false,
  },
  {
    name: 'webhook_signing_key',
    label: 'Signing key of the webhook',
    help: 'Shown when you edit the webhook on direct.uber.com; it exists only after the webhook was created.',
    is_secret: true,
    is_optional: true,
  },
  {
    name: 'handover_pin',
    label: 'Ask recipients for a PIN',
    help: 'With "always", the recipient tells the courier a PIN, unless the order is signed for or left at the door.',
    is_secret: false,
    is_optional: true,
    choices: ['never', 'always'],
  },
];

export const push_setup =
  'On direct.uber.com, create a webhook under Developer with this address for event.delivery_status and ' +
  'event.courier_update, and add its signing key to the settings. Without it waybill asks Uber Direct for the ' +
  'status of each delivery.';

export const capabilities: CourierCapabilities = {
  // The courier chooses the vehicle by the sizes of the items.
  vehicles: [],
  largest_item: 'extra_large',
  scheduled: true,
  signature: true,
  photo: true,
  pin: true,
  tip: true,
  edits: true,
  returns: true,
  cancel_until: 'refused',
  reports: 'push',
  location: true,
  currencies: ['USD'],
  countries: ['US'],
  binding_quotes: true,
  idempotent_create: true,
  find_by_key: true,
};

/** The settings of a connection, with the optional ones filled in. */
export interface UberDirectSettings {
  client_id: string;
  client_secret: string;
  customer_id: string;
  /** Empty: webhooks are refused. */
  webhook_signing_key: string;
  asks_pin: boolean;
}

export function readSettings(given: CourierSettings): UberDirectSettings {
  const {
    client_id = '',
    client_secret = '',
    customer_id = '',
    webhook_signing_key = '',
    handover_pin,
  } = given;
  return { client_id, client_secret, customer_id, webhook_signing_key, asks_pin: handover_pin === 'always' };
}
