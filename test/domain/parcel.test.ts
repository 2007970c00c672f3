import { expect, test } from 'vitest';
import { readParcel, sizeOfParcel } from '../../src/domain/parcel.ts';

test.each([
  [{}, undefined],
  [{ length: 90 }, undefined],
  [{ length: 36, dimension_unit: 'cm' }, 'small'],
  [{ length: 37, dimension_unit: 'cm' }, 'medium'],
  [{ width: 15, dimension_unit: 'in' }, 'medium'],
  [{ weight: 5, weight_unit: 'kg' }, 'small'],
  [{ weight: 5_001, weight_unit: 'g' }, 'medium'],
  [{ height: 100, dimension_unit: 'cm', weight: 10, weight_unit: 'lb' }, 'large'],
  [{ height: 10, dimension_unit: 'cm', weight: 26, weight_unit: 'kg' }, 'extra_large'],
] as const)('%j is %s', (parcel, size) => {
  expect(sizeOfParcel(parcel)).toBe(size);
});

test.each([
  ['12x10x8,5', [12, 10, 8, 5]],
  ['12 in x 10 in x 8 in; 5.5 lbs', [12, 10, 8, 5.5]],
  ['12x10,5', null],
])('%s is read as %j', (text, sizes) => {
  const [length, width, height, weight] = sizes ?? [];
  const units = { dimension_unit: 'in', weight_unit: 'lb' };
  expect(readParcel(text)).toEqual(sizes === null ? null : { length, width, height, weight, ...units });
});
