export const exampleDriver = 'drv_01KJPZ6V3CQ8YH2W5N7R4T9XEV';
const delivery = 'dlv_01KJPZ6V3CQ8YH2W5N7R4T9XEE';

/** Examples of the fields of drivers and of their page; see `fieldExamples`. */
export const driverExamples = {
  'Driver.id': exampleDriver,
  'LinkedDriver.id': exampleDriver,
  'DeletedDriver.id': exampleDriver,
  driver_id: exampleDriver,
  fleet: { per_delivery: 400, per_mile: 75, ask_pin: true },
  per_delivery: 400,
  per_mile: 75,
  ask_pin: true,
  on: true,
  offer_id: 'dsp_01KJPZ6V3CQ8YH2W5N7R4T9XEW.1',
  delivery_ids: [delivery],
  taps: [{ id: 'tap-1', kind: 'deliver', at: '2026-03-02T12:00:00.000Z', delivery_ids: [delivery] }],
  'TapResults.taps': [{ id: 'tap-1', outcome: 'done', message: '' }],
  pin: '0417',
  photo: 'data:image/jpeg;base64,/9j/4AAQ',
  signature: 'data:image/jpeg;base64,/9j/4AAQ',
  signed_by: 'Joe Diner',
  link: 'https://shop.example/drive/Q2bV8dXk4Zt7WmYc1RfJ9s',
  on_duty: true,
  stops_left: 3,
  'Driver.name': 'Sam Lee',
  'LinkedDriver.name': 'Sam Lee',
  'CreateDriver.name': 'Sam Lee',
  'Driver.phone_number': '13125550133',
  'LinkedDriver.phone_number': '13125550133',
  'CreateDriver.phone_number': '+13125550133',
} as const;
