import {
  default_geocoder_rate,
  type GeocoderSetting,
  geocoderNames,
  max_geocoder_rate,
  type PlaceServices,
  readGeocoder,
  readServerUrl,
} from '../../domain/place-services.ts';
import { BadValue, type Flag, integer, textAs } from '../kit/args/flags.ts';
import { envVarOf } from '../kit/args/input.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';

const places = 'Places';

/** The flags of the servers that find places; recipients' addresses are sent to the geocoder. */
export const placeFlags = {
  /** Its kind and its URL. */
  geocoder: textAs(geocoderIn, {
    summary:
      'Server that finds addresses, which are sent to it: nominatim+URL or census+URL (default: none, ZIP codes)',
    group: places,
    placeholder: 'SERVER',
  }),
  /** The URL of a server that speaks as OSRM does. */
  router: textAs(routerIn, {
    summary: 'Server with the HTTP interface of OSRM, for the times of own drivers (default: straight lines)',
    group: places,
    placeholder: 'URL',
  }),
  geocoderRate: integer({
    summary: 'Maximum requests a second to the geocoder',
    default: default_geocoder_rate,
    minimum: 1,
    maximum: max_geocoder_rate,
    group: places,
  }),
};

function geocoderIn(typed: string): Pick<GeocoderSetting, 'name' | 'url'> {
  const setting = readGeocoder(typed);
  if (setting !== null) return setting;
  const forms = geocoderNames.map((name) => `${name}+https://HOST`).join(' or ');
  throw new BadValue(`must be ${forms}, not "${typed}"`);
}

function routerIn(typed: string): string {
  const url = readServerUrl(typed);
  if (url !== null) return url;
  throw new BadValue(`must be a URL such as https://router.example, not "${typed}"`);
}

/** The servers for places that the flags set. */
export function placeServicesOf({
  geocoder,
  geocoderRate: per_second = default_geocoder_rate,
  router,
}: {
  geocoder?: Pick<GeocoderSetting, 'name' | 'url'> | undefined;
  geocoderRate?: number;
  router: string | undefined;
}): PlaceServices {
  return { geocoder: geocoder === undefined ? null : { ...geocoder, per_second }, router: router ?? null };
}

/** The servers for places of the embedded service: the variables of these flags. Throws UsageError. */
export function placesIn({ environment }: Pick<Host, 'environment'>): PlaceServices {
  const read = <T>(name: string, flag: Flag<T>): T => {
    const typed = environment[envVarOf(name)] ?? '';
    try {
      return typed === '' ? flag.absent() : flag.read([typed]);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      throw new UsageError(`${envVarOf(name)} ${error.message}.`);
    }
  };
  const geocoder = read('geocoder', placeFlags.geocoder);
  const router = read('router', placeFlags.router);
  if (geocoder === undefined) return placeServicesOf({ router });
  return placeServicesOf({ geocoder, router, geocoderRate: read('geocoderRate', placeFlags.geocoderRate) });
}
