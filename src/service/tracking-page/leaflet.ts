import { join } from 'node:path';
import type { showMapScript, showMapStyle } from '../../contract/pages.ts';
import type { Handler } from '../http/handler.ts';

const packaged = join(import.meta.dirname, '../../../node_modules/leaflet/dist');

/** Reads a file of Leaflet beside the built program, or from the package that the build copies it from. */
async function readLeaflet(name: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const built = join(import.meta.dirname, name);
  return readFile(built, 'utf8').catch(() => readFile(join(packaged, name), 'utf8'));
}

export const mapScript: Handler<typeof showMapScript> = async () => readLeaflet('leaflet.js');

export const mapStyle: Handler<typeof showMapStyle> = async () => readLeaflet('leaflet.css');
