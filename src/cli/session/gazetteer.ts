/** The tables of ZIP codes and cities, which commands load if they have to read addresses on this machine. */
import { type AddressReading, readAddress } from '../../domain/address-reader.ts';
import type { Gazetteer } from '../../domain/gazetteer.ts';

let loaded: Gazetteer | null = null;

export async function loadGazetteer(): Promise<Gazetteer> {
  if (loaded !== null) return loaded;
  const { readGazetteer } = await import('../../service/runtime/gazetteer-files.ts');
  loaded = await readGazetteer();
  return loaded;
}

/** The readings of addresses, as the same text is often read several times. */
const cachedReadings = new Map<string, AddressReading>();
const max_cached_readings = 1_000;

/** Reads an address as the service does. Call `loadGazetteer` first. */
export function readLoadedAddress(line: string): AddressReading {
  if (loaded === null) throw new Error('the tables of ZIP codes and cities are not loaded');
  const cached = cachedReadings.get(line);
  if (cached !== undefined) return cached;
  if (cachedReadings.size === max_cached_readings) cachedReadings.clear();
  const reading = readAddress(line, loaded);
  cachedReadings.set(line, reading);
  return reading;
}
