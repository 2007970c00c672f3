/** The servers that find places and ways. The operator sets them; without any, ZIP codes and straight lines are used. */

export const geocoderNames = ['nominatim', 'census'] as const;
export type GeocoderName = (typeof geocoderNames)[number];

/** A server that finds the coordinates of addresses. */
export interface GeocoderSetting {
  name: GeocoderName;
  /** Without a slash at the end. */
  url: string;
  /** How often a process asks it at most. */
  per_second: number;
}

/** The servers that are set. */
export interface PlaceServices {
  geocoder: GeocoderSetting | null;
  /** The URL of a router with the HTTP interface of OSRM. */
  router: string | null;
}

export const default_geocoder_rate = 1;
export const max_geocoder_rate = 1_000;

/** Reads `nominatim+https://geocoder.example`; null for anything else. */
export function readGeocoder(text: string): Pick<GeocoderSetting, 'name' | 'url'> | null {
  const [, scheme = '', address = ''] = /^([a-z]+)\+(.*)$/.exec(text.trim()) ?? [];
  const name = geocoderNames.find((each) => each === scheme);
  const url = readServerUrl(address);
  return name === undefined || url === null ? null : { name, url };
}

/** An HTTP address without credentials, query or fragment, and without a slash at its end; null for anything else. */
export function readServerUrl(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain ? `${url.origin}${url.pathname.replace(/\/+$/, '')}` : null;
}

/** A server of map tiles, as the operator sets it. */
export interface MapTiles {
  /** With `{z}`, `{x}` and `{y}`. */
  url: string;
  /** The credit of the map's makers, which is shown on the map. */
  attribution: string;
}

/** The origin of the tiles, which pages may load pictures from. */
export function tilesOrigin({ url }: Pick<MapTiles, 'url'>): string {
  return new URL(url).origin;
}

const placeholders = ['{z}', '{x}', '{y}'];

/** Why a URL of tiles is refused, as the end of a sentence; null if it is valid. */
export function tilesFault(url: string): string | null {
  const parsed = URL.parse(url);
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isThisMachine(parsed));
  if (parsed === null || !isSafe || parsed.username !== '') {
    return 'must be a URL that starts with https:// and has no password';
  }
  if (!/^[\w.-]+(:\d+)?$/.test(parsed.host)) return 'must name one host, without {s} or other placeholders';
  const missing = placeholders.filter((each) => !url.includes(each));
  return missing.length === 0 ? null : `must contain ${missing.join(', ')}`;
}

/** Browsers load pictures from this machine also over http://. */
function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1';
}
