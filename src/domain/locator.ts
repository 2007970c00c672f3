/** Where an address lies, by the tables of ZIP codes and cities alone: no geocoder is asked. */
import { zipsOfCity } from './address-city.ts';
import { type AddressReading, type ReadAddress, readAddress } from './address-reader.ts';
import { type Gazetteer, zipCentre } from './gazetteer.ts';
import type { AreaCentre } from './geography.ts';

/** An address with its parts, and where it lies. */
interface LocatedAddress extends ReadAddress {
  point: AreaCentre;
  /** The area that the point is the centre of: `ZIP code 60601`, or `Chicago, IL` for an address without one. */
  area: string;
}

export type Located = LocatedAddress | { fault: string };

/**
 * Finds where addresses lie: in the centroid of their ZIP code, without one in the middle of their city. `fault` says why
 * an address cannot be right, as the end of a sentence that begins with the field. Many addresses share few areas: each is
 * looked up once.
 */
export function createLocator(
  gazetteer: Gazetteer,
  readLine: (line: string) => AddressReading = (line) => readAddress(line, gazetteer),
): (line: string) => Located {
  const centres = new Map<string, AreaCentre | null>();
  const centreOf = (zip: string) => {
    const known = centres.get(zip);
    if (known !== undefined) return known;
    const centre = zipCentre(gazetteer, zip);
    centres.set(zip, centre);
    return centre;
  };
  return (line) => {
    const read = readLine(line);
    if ('fault' in read) return read;
    const { zip, city, state } = read;
    const point = centreOf(zip ?? zipsOfCity(gazetteer, city, state)[0] ?? '');
    if (point === null) return { fault: `has an unknown ZIP code: ${zip}` };
    return { ...read, point, area: zip === null ? `${city}, ${state}` : `ZIP code ${zip}` };
  };
}
