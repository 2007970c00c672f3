import type { Account } from '../../fakes/uber-direct/records.ts';

export const account: Account = {
  client_id: 'client_1',
  client_secret: 'secret_1',
  customer_id: 'cus_1',
  signing_key: 'c5c26d5a-70d6-46c7-a652-d7c09825ad29',
  live_mode: false,
};

/** A quote request as the courier's guide describes one. */
export const quoteRequest = {
  pickup_address: JSON.stringify({
    street_address: ['20 W 34th St'],
    city: 'New York',
    state: 'NY',
    zip_code: '10001',
  }),
  dropoff_address: JSON.stringify({
    street_address: ['285 Fulton St'],
    city: 'New York',
    state: 'NY',
    zip_code: '10007',
  }),
  pickup_phone_number: '+13125550142',
  dropoff_phone_number: '+13125550143',
  manifest_total_value: 4200,
};

/** A delivery request with a robo courier. */
export const deliveryRequest = {
  ...quoteRequest,
  pickup_name: 'Corner Bakery',
  dropoff_name: 'Ada Park',
  manifest_items: [{ name: 'Cake', quantity: 1, size: 'small' as const }],
  test_specifications: { robo_courier_specification: { mode: 'auto' } },
};
