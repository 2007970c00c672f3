/** Leaflet, which draws the maps with tiles: its links in a page, and its files, which the service serves itself. */
import { join } from 'node:path';
import type { showMapScript, showMapStyle } from '../../contract/pages.ts';
import type { MapTiles } from '../../domain/operator-settings.ts';
import type { Handler } from '../http/handler.ts';
import { html, type Markup } from './markup.ts';

/** The links to Leaflet in the head of a page that shows tiles; `root` is where the service is for it. */
export function leafletFiles(tiles: MapTiles | null, root: string): Markup | null {
  if (tiles === null) return null;
  return html`<link rel="stylesheet" href="${root}leaflet.css">
<script defer src="${root}leaflet.js"></script>`;
}

const packaged = join(import.meta.dirname, '../../../node_modules/leaflet/dist');

/** Reads a file of Leaflet beside the built program, or from the package that the build copies it from. */
async function readLeaflet(name: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const built = join(import.meta.dirname, name);
  return readFile(built, 'utf8').catch(() => readFile(join(packaged, name), 'utf8'));
}

export const mapScript: Handler<typeof showMapScript> = async () => readLeaflet('leaflet.js');

export const mapStyle: Handler<typeof showMapStyle> = async () => readLeaflet('leaflet.css');
