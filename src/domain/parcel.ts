/** The size class of a parcel, which couriers ask for, from what merchants know: its edges and its weight. */
import type { ItemSize } from '../contract/vocabulary.ts';

/** The size and weight of all items of an order together. */
export interface Parcel {
  length?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  dimension_unit?: 'in' | 'cm' | undefined;
  weight?: number | undefined;
  weight_unit?: 'lb' | 'kg' | 'g' | undefined;
}

const centimeters = { in: 2.54, cm: 1 };
const kilograms = { lb: 0.453_592, kg: 1, g: 0.001 };

/** What each size holds: one hand, a bag, two hands, and what fills a trunk. */
const capacities: readonly { size: ItemSize; edge_cm: number; weight_kg: number }[] = [
  { size: 'small', edge_cm: 36, weight_kg: 5 },
  { size: 'medium', edge_cm: 60, weight_kg: 10 },
  { size: 'large', edge_cm: 100, weight_kg: 25 },
];

/** The size of a parcel by its longest edge and its weight; undefined if it says neither. */
export function sizeOfParcel(parcel: Parcel): ItemSize | undefined {
  const { length = 0, width = 0, height = 0, weight = 0, dimension_unit, weight_unit } = parcel;
  if (dimension_unit === undefined && weight_unit === undefined) return undefined;
  const edge = Math.max(length, width, height) * centimeters[dimension_unit ?? 'cm'];
  const mass = weight * kilograms[weight_unit ?? 'kg'];
  return (
    capacities.find(({ edge_cm, weight_kg }) => edge <= edge_cm && mass <= weight_kg)?.size ?? 'extra_large'
  );
}

/** Reads `12x10x8,5`: length, width and height in inches, and the weight in pounds. Null if it is something else. */
export function readParcel(text: string): Parcel | null {
  const number = String.raw`\s*(\d{1,5}(?:\.\d{1,3})?)\s*`;
  const inches = String.raw`(?:in|")?\s*`;
  const form = `^${number}${inches}x${number}${inches}x${number}${inches}[\\s,;]${number}(?:lbs?)?\\s*$`;
  const found = new RegExp(form, 'i').exec(text);
  if (found === null) return null;
  const [length = 0, width = 0, height = 0, weight = 0] = found.slice(1).map(Number);
  return { length, width, height, dimension_unit: 'in', weight, weight_unit: 'lb' };
}
