/** The tables of ZIP codes and cities, which are loaded where addresses have to be read on this machine. */
import { type AddressReading, readAddress } from '../../domain/address-reader.ts';
import type { Gazetteer } from '../../domain/gazetteer.ts';

let loaded: Gazetteer | null = null;

export async function loadGazetteer(): Promise<Gazetteer> {
  if (loaded !== null) return loaded;
  const { readGazetteer } = await import('../../service/runtime/gazetteer-files.ts');
  loaded = await readGazetteer();
  return loaded;
}

const max_kept = 1_000;
const kept = new Map<string, AddressReading>();

/** Reads an address as the service does; `loadGazetteer` has to be done. The same text is often read several times. */
export function readLoadedAddress(line: string): AddressReading {
  if (loaded === null) throw new Error('the tables of ZIP codes and cities are not loaded');
  const known = kept.get(line);
  if (known !== undefined) return known;
  if (kept.size === max_kept) kept.clear();
  const read = readAddress(line, loaded);
  kept.set(line, read);
  return read;
}
