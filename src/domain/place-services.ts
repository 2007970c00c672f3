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
