/** Where the service finds the tables that `domain/gazetteer.ts` reads: the build puts them beside the program. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Gazetteer } from '../../domain/gazetteer.ts';

/** Reads the tables of ZIP codes and cities beside the program. */
export async function readGazetteer(): Promise<Gazetteer> {
  const read = (name: string) => readFile(join(import.meta.dirname, name));
  const [zips, cities, states, zip_cities] = await Promise.all([
    read('zips.bin'),
    read('cities.bin'),
    read('zip-states.bin'),
    read('zip-cities.bin'),
  ]);
  return { zips, cities, states, zip_cities };
}
