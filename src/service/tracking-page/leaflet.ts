import { join } from 'node:path';
import type { showMapScript, showMapStyle } from '../../contract/pages.ts';
import type { Handler } from '../http/handler.ts';

/** Leaflet lies beside the built program, or else in the package that the build copies it from. */
const folders = [import.meta.dirname, join(import.meta.dirname, '../../../node_modules/leaflet/dist')];

async function readLeaflet(name: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const [built, packaged] = folders.map((folder) => () => readFile(join(folder, name), 'utf8'));
  return (await built?.().catch(packaged)) ?? '';
}

export const mapScript: Handler<typeof showMapScript> = async () => readLeaflet('leaflet.js');

export const mapStyle: Handler<typeof showMapStyle> = async () => readLeaflet('leaflet.css');
