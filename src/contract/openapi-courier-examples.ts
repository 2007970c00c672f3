type Examples = Readonly<Record<string, string | boolean | readonly string[]>>;

const courierOperations = [
  'ConnectCourier',
  'CheckCourier',
  'EnableCourier',
  'DisableCourier',
  'RemoveCourier',
];

function scoped(scope: string, examples: Examples): Examples {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [`${scope}.${name}`, value]));
}

/** Examples of the fields of couriers and own drivers, with the same scopes as those of other fields. */
export const courierExamples: Examples = {
  ...scoped('Courier', {
    name: 'uber-direct',
    title: 'Uber Direct',
    push_url: 'https://shop.example/couriers/Q2bV8dXk4Zt7WmYc1RfJ9s',
    untested_live: true,
    push_setup: 'Create a webhook with this address in the portal of the courier.',
  }),
  ...scoped('settings', {
    name: 'client_id',
    label: 'Client ID',
    help: 'In the portal of the courier under Developer.',
    is_secret: false,
    is_optional: false,
    is_set: true,
    value: 'vN7qT2',
  }),
  ...scoped('capabilities', {
    vehicles: ['car'],
    scheduled: true,
    signature: true,
    photo: true,
    pin: true,
    tip: true,
    edits: true,
    returns: true,
    location: true,
    currencies: ['USD'],
    countries: ['US'],
    binding_quotes: true,
  }),
  'DisconnectedCourier.name': 'uber-direct',
  'RemoveCourier.force': true,
  ...Object.fromEntries(courierOperations.map((id) => [`${id}.name`, 'uber-direct'])),
  'Driver.name': 'Sam Lee',
  'LinkedDriver.name': 'Sam Lee',
  'CreateDriver.name': 'Sam Lee',
  'Driver.phone_number': '13125550133',
  'LinkedDriver.phone_number': '13125550133',
  'CreateDriver.phone_number': '+13125550133',
};
