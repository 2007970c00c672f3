import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createLocator } from '../../src/domain/locate-address.ts';

const read = (name: string) => readFileSync(new URL(`../../src/service/runtime/${name}`, import.meta.url));
const gazetteer = { zips: read('zips.bin'), cities: read('cities.bin'), states: read('zip-states.bin') };

test.each([
  '233 S Wacker Dr, Chicago, IL 60606',
  '233 S Wacker Dr, 60606',
  'Union Station, Chicago, IL 60661',
  'Plaza Garibaldi 4, Santa Fe, New Mexico',
  '350 5th Ave, Floor 3, New York, NY 10118',
  '1 Main St, Phoenix, AZ 85001',
  '20 Grand Army Plaza, Brooklyn, NY 11238',
  'Route 25, Fishers Island, NY 06390',
  '5 Boxwood Ln, Chicago, IL 60606',
])('%s is located', (line) => {
  expect(createLocator(gazetteer)(line)).toHaveProperty('point');
});

test.each([
  ['60606', 'has no street: write street, city, state and ZIP code'],
  ['Apartment 5, 60606', 'has no street: write street, city, state and ZIP code'],
  ['# 5, 60606', 'has no street: write street, city, state and ZIP code'],
  ['Chicago, IL 60606', 'has no street: write street, city, state and ZIP code'],
  ['Chicago, TX 60606', 'does not fit together: ZIP code 60606 is in Illinois, not in Texas'],
  ['1 Main St, Springfield, IL 60606', 'does not fit together: ZIP code 60606 is far from Springfield, IL'],
  ['PO Box 12, Chicago, IL 60606', 'is a PO box: couriers need a street address'],
  ['P.O. Box 12, Chicago, IL 60606', 'is a PO box: couriers need a street address'],
  ['1 Main St, Chicago, IL 99999', 'has a ZIP code that does not exist: 99999'],
  ['1 Yonge St, Toronto, ON M5E 1W7', 'is outside the USA: only US addresses are served'],
  ['1 Yonge St, Toronto, Canada', 'is outside the USA: only US addresses are served'],
  ['10 Downing St, London SW1A 2AA', 'is outside the USA: only US addresses are served'],
  ['Unter den Linden 1, 10117 Berlin, Germany', 'is outside the USA: only US addresses are served'],
  ['1 Main St', 'must have a ZIP code, or a street, city and state'],
])('%s %s', (line, fault) => {
  expect(createLocator(gazetteer)(line)).toEqual({ fault });
});
