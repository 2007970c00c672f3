import { type NormalAddress, normalizeAddress, stateName } from './addresses.ts';
import { findCentroid, findCity, type Gazetteer, stateOfZip } from './gazetteer.ts';
import { greatCircleMiles, type Point } from './geography.ts';
import { addressRule } from './order-rules.ts';

/** Two towns of one state may share a name, and a ZIP code may lie outside of the city that it is written with. */
const FARTHEST_MILES = 100;

const BOX = /\b(?:p\.?\s*o\.?|post\s+office)\s*box\b/i;
const UNIT = /^(?:apt|apartment|unit|suite|ste|floor|fl|room|rm|#)\b\.?|^#|^\d+(?:st|nd|rd|th)\s+floor$/i;
const ABROAD =
  /[,\s](canada|(?<!new\s+)mexico|united kingdom|uk|great britain|england|scotland|wales|ireland|france|germany|deutschland|spain|italy)$/i;
/** Canadian and British postal codes. */
const FOREIGN_CODE = /\b(?:[a-z]\d[a-z] ?\d[a-z]\d|[a-z]{1,2}\d[a-z\d]? \d[a-z]{2})\b/i;

/** Where an address lies. */
interface LocatedAddress {
  address: string;
  point: Point;
  /** The area that the point is the centre of: `ZIP code 60601`, or `Chicago, IL` for an address without one. */
  area: string;
  /** The postal code of the state; null if neither the address nor its ZIP code says it. */
  state: string | null;
}

export type Located = LocatedAddress | { fault: string };

/** The middle of a city or ZIP code. */
type Area = { point: Point } | { fault: string };

/**
 * Finds where addresses lie: in the centroid of their ZIP code, without one in the middle of their city. Street, city,
 * state and ZIP code are checked against each other as far as they are given; `fault` says what cannot be right,
 * as the end of a sentence that begins with the field. Many addresses share few areas: each is looked up once.
 */
export function createLocator(gazetteer: Gazetteer): (line: string) => Located {
  const areas = new Map<string, Area>();
  const areaOf = (normal: NormalAddress) => {
    const { place, state, zip } = normal;
    const key = [place.length > 1, place.at(-1), state, zip].join();
    const area = areas.get(key) ?? findArea(normal, gazetteer);
    areas.set(key, area);
    return area;
  };
  return (line) => locate(line, gazetteer, areaOf);
}

function locate(line: string, gazetteer: Gazetteer, areaOf: (normal: NormalAddress) => Area): Located {
  const normal = normalizeAddress(line);
  const isAbroad = ABROAD.test(line.trim()) || (normal === null && FOREIGN_CODE.test(line));
  if (isAbroad) return { fault: 'is outside the USA: only US addresses are served' };
  if (normal === null) return { fault: addressRule };
  const fault = streetFault(normal, gazetteer);
  if (fault !== null) return { fault };
  const area = areaOf(normal);
  if ('fault' in area) return area;
  const { address, zip, place, state } = normal;
  return {
    address,
    point: area.point,
    area: zip === null ? `${place.at(-1)}, ${state}` : `ZIP code ${zip}`,
    state: state ?? (zip === null ? null : stateOfZip(gazetteer.states, zip)),
  };
}

function findArea(normal: NormalAddress, gazetteer: Gazetteer): Area {
  const fault = zipFault(normal, gazetteer);
  if (fault !== null) return { fault };
  const point = pointOf(normal, gazetteer);
  return point === null ? { fault: unknownPlace(normal) } : { point };
}

function streetFault({ place, state }: NormalAddress, { cities }: Gazetteer): string | null {
  if (place.some((part) => BOX.test(part))) return 'is a PO box: couriers need a street address';
  const streets = place.filter((part) => !UNIT.test(part));
  const [only = '', ...more] = streets;
  const isCity = more.length === 0 && state !== null && findCity(cities, { city: only, state }) !== null;
  return only === '' || isCity ? 'has no street: write street, city, state and ZIP code' : null;
}

function zipFault(normal: NormalAddress, gazetteer: Gazetteer): string | null {
  const { zip, state, place } = normal;
  if (zip === null) return null;
  const own = stateOfZip(gazetteer.states, zip);
  if (own === null) return `has a ZIP code that does not exist: ${zip}`;
  if (state === null) return null;
  if (state !== own)
    return `does not fit together: ZIP code ${zip} is in ${stateName(own)}, not in ${stateName(state)}`;
  const city = place.length > 1 ? place.at(-1) : undefined;
  const cityZip = city === undefined ? null : findCity(gazetteer.cities, { city, state });
  if (cityZip === null || milesBetween(cityZip, zip, gazetteer) < FARTHEST_MILES) return null;
  return `does not fit together: ZIP code ${zip} is far from ${city}, ${state}`;
}

function milesBetween(from: string, to: string, { zips }: Gazetteer): number {
  const [start, end] = [findCentroid(zips, from), findCentroid(zips, to)];
  return start === null || end === null ? 0 : greatCircleMiles(start, end);
}

function pointOf({ zip, state, place }: NormalAddress, { zips, cities }: Gazetteer): Point | null {
  const found = zip ?? findCity(cities, { city: place.at(-1) ?? '', state: state ?? '' });
  return found === null ? null : findCentroid(zips, found);
}

function unknownPlace({ zip, state, place }: NormalAddress): string {
  if (zip !== null) return `has an unknown ZIP code: ${zip}`;
  return `has no ZIP code and an unknown city: ${place.at(-1)}, ${state}`;
}
