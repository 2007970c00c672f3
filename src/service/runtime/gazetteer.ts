import { join } from 'node:path';
import type { Gazetteer } from '../../domain/gazetteer.ts';

/** Reads the tables of ZIP codes and cities beside the program. */
export async function readGazetteer(): Promise<Gazetteer> {
  const { readFile } = await import('node:fs/promises');
  const read = (name: string) => readFile(join(import.meta.dirname, name));
  const [zips, cities, states] = await Promise.all([
    read('zips.bin'),
    read('cities.bin'),
    read('zip-states.bin'),
  ]);
  return { zips, cities, states };
}
