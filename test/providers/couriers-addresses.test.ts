import { expect, test } from 'vitest';
import { readAddress } from '../../src/domain/address-reader.ts';
import { deliveryBody as doordashBody } from '../../src/providers/doordash-drive/adapter.ts';
import { quoteBody as httpBody } from '../../src/providers/http-courier/adapter.ts';
import { addressParts } from '../../src/providers/place-services.ts';
import { quoteBody as uberBody } from '../../src/providers/uber-direct/client.ts';
import { readGazetteer } from '../../src/service/runtime/gazetteer-files.ts';
import { readTable } from '../cases/read-table.ts';
import { courierOrder } from './courier-orders.ts';

const gazetteer = await readGazetteer();
const texts = readTable('addresses.tsv', (cell) => cell('text'));

test.each(texts)('every courier gets the parts that were read of %s', (text) => {
  const read = readAddress(text, gazetteer);
  if ('fault' in read) throw new Error(read.fault);
  const { address, street, unit, city, state, zip } = read;
  const dropoff = { ...courierOrder().dropoff, address, unit: '' };
  const order = courierOrder({ dropoff });

  const body: { dropoff_address?: string } = uberBody(order, 0);
  expect(JSON.parse(body.dropoff_address ?? '')).toEqual({
    street_address: unit === '' ? [street] : [street, unit],
    city,
    state,
    ...(zip !== null && { zip_code: zip }),
    country: 'US',
  });
  expect(httpBody(order).deliveryAddress).toEqual({
    formattedAddress: address,
    country: 'US',
    street,
    city,
    state,
    ...(zip !== null && { postalCode: zip }),
    ...(unit !== '' && { complement: unit }),
  });
  const inLine = doordashBody({ key: 'k', order: courierOrder({ dropoff: { ...dropoff, unit: 'Gate 9' } }) });
  const lines = [street, unit, 'Gate 9'].filter((line) => line !== '').join(', ');
  const area = zip === null ? state : `${state} ${zip}`;
  expect(inLine.dropoff_address).toBe(`${lines}, ${city}, ${area}, USA`);
  expect(addressParts(address)).toMatchObject({ city, state, zip: zip ?? '' });
});

test.each([
  ['Joe, 233 S Wacker Dr, Suite 4410, Chicago, IL 60606, USA', '233 S Wacker Dr', '233'],
  ['99-40 63rd Rd, Queens, NY 11374, USA', '99-40 63rd Rd', '99-40'],
  ['Union Station, Chicago, IL 60661, USA', 'Union Station', ''],
])('a geocoder is asked for the street of %s', (address, street, house_number) => {
  expect(addressParts(address)).toMatchObject({ street, house_number });
});
