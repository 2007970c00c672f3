import type { CourierCapabilities, SettingField } from '../courier.ts';

export const settings: readonly SettingField[] = [
  {
    name: 'url',
    label: 'Address of the courier',
    help: 'The courier names it, such as https://courier.example/waybill.',
    is_secret: false,
    is_optional: false,
    is_server: true,
  },
  {
    name: 'api_key',
    label: 'API key',
    help: 'The courier gives it to you; test and live deliveries have keys of their own.',
    is_secret: true,
    is_optional: false,
  },
  {
    name: 'webhook_secret',
    label: 'Secret of the events',
    help: 'Begins with whsec_ and is the same on both sides. Without it waybill asks for the status of deliveries.',
    is_secret: true,
    is_optional: true,
  },
];

export const pushSetup =
  'Give the courier this address, to which it posts events signed with the secret of your settings.';

export const capabilities: CourierCapabilities = {
  vehicles: ['car', 'suv', 'pickup_truck', 'cargo_van', 'box_truck'],
  largest_item: 'extra_large',
  scheduled: true,
  signature: true,
  photo: true,
  pin: false,
  tip: true,
  edits: false,
  returns: true,
  cancel_until: 'picked_up',
  reports: 'push',
  location: true,
  currencies: ['USD'],
  countries: ['US'],
  binding_quotes: true,
  idempotent_create: true,
  find_by_key: true,
};
