import { expect, test } from 'vitest';
import { milesToCity, zipsOfCity } from '../../src/domain/address-city.ts';
import { fitsState } from '../../src/domain/address-end.ts';
import { readAddress } from '../../src/domain/address-reader.ts';
import { cityOfZip, stateOfZip } from '../../src/domain/gazetteer.ts';
import type { CourierOrder } from '../../src/providers/courier.ts';
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

interface SentPlace {
  city: string;
  state: string;
  zip: string;
}

/** City, state and ZIP code as the bodies of each courier have them. */
const sent: Record<string, (order: CourierOrder) => SentPlace> = {
  'Uber Direct': (order) => {
    const body: { dropoff_address?: string } = uberBody(order, 0);
    const { city, state, zip_code: zip = '' } = JSON.parse(body.dropoff_address ?? '');
    return { city, state, zip };
  },
  'DoorDash Drive': (order) => {
    const [, city = '', state = '', zip = ''] =
      /, ([^,]+), ([A-Z]{2})(?: (\d{5}))?, USA$/.exec(doordashBody({ key: 'k', order }).dropoff_address) ??
      [];
    return { city, state, zip };
  },
  'the courier protocol': (order) => {
    const { city = '', state = '', postalCode: zip = '' } = httpBody(order).deliveryAddress;
    return { city, state, zip };
  },
};

/** Whether the tables have the city in the state and near the ZIP code. */
function isOfTables({ city, state, zip }: SentPlace): boolean {
  if (zip === '') return zipsOfCity(gazetteer, city, state).length > 0;
  // A part of a city: `East Cambridge`.
  const name = city.replace(/^(?:north|south|east|west) (?=\S)/i, '');
  const isOfZip = cityOfZip(gazetteer, zip)?.toLowerCase() === name.toLowerCase();
  const miles = milesToCity(name, { gazetteer, states: [state, stateOfZip(gazetteer, zip) ?? ''], zip });
  return fitsState(zip, state, gazetteer) && (isOfZip || (miles !== null && miles < 40));
}

test.each(Object.keys(sent))(
  '%s gets the city, state and ZIP code of the tables, or a word is said',
  (courier) => {
    const wrong = texts.filter((text) => {
      const read = readAddress(text, gazetteer);
      if ('fault' in read) throw new Error(read.fault);
      const dropoff = { ...courierOrder().dropoff, address: read.address };
      const place = sent[courier]?.(courierOrder({ dropoff }));
      return place !== undefined && !isOfTables(place) && [...read.warnings, ...read.changes].length === 0;
    });
    expect(wrong).toEqual([]);
  },
);

test.each([
  ['Joe, 233 S Wacker Dr, Suite 4410, Chicago, IL 60606, USA', '233 S Wacker Dr', '233'],
  ['99-40 63rd Rd, Queens, NY 11374, USA', '99-40 63rd Rd', '99-40'],
  ['Union Station, Chicago, IL 60661, USA', 'Union Station', ''],
])('a geocoder is asked for the street of %s', (address, street, house_number) => {
  expect(addressParts(address)).toMatchObject({ street, house_number });
});
