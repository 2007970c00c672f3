/** The settings of a service that this program runs: its secrets, its servers for places, and the hooks of tests. */
import { resolve } from 'node:path';
import {
  default_geocoder_rate,
  type GeocoderSetting,
  geocoderNames,
  max_geocoder_rate,
  type PlaceServices,
  readGeocoder,
  readServerUrl,
} from '../../domain/operator-settings.ts';
import { nameEnvVar } from '../kit/args/command-input.ts';
import { BadValue, type Flag, integerFlag, parsedTextFlag, textFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';

/**
 * The hooks that a test of the whole program sets in the environment of the embedded service: the point at which the
 * service kills itself like a power failure, the database file of the simulated couriers, and the hosts of couriers.
 */
export function testHooksOf({ environment }: Pick<Host, 'environment'>) {
  return {
    crashAt: environment.WAYBILL_CRASH_AT || undefined,
    courierRecords: environment.WAYBILL_COURIER_BOOKS || undefined,
    courierHosts: environment.WAYBILL_TEST_COURIER_HOSTS || undefined,
  };
}

/** The error for an unknown crash point; null for any other error. */
export function testHooksFailure(error: unknown): UsageError | null {
  if (!(error instanceof Error) || error.name !== 'UnknownCrashPoint') return null;
  return new UsageError(`WAYBILL_CRASH_AT: ${error.message}.`);
}

/** `--secret-key-file`: the keys that encrypt stored secrets. */
export function secretKeyFlag(): Flag<string | undefined> {
  return textFlag({
    summary: 'File of the key that encrypts stored secrets (default: beside a SQLite file)',
    placeholder: 'FILE',
  });
}

/** The location of the keys that encrypt stored secrets; empty: beside the database. */
export function findSecretKey({ environment, folder }: Pick<Host, 'environment' | 'folder'>, file?: string) {
  const path = file ?? environment.WAYBILL_SECRET_KEY_FILE;
  return {
    value: environment.WAYBILL_SECRET_KEY || undefined,
    file: path ? resolve(folder, path) : undefined,
  };
}

const group = 'Places';

/** The flags of the servers that find places; recipients' addresses are sent to the geocoder. */
export const placeFlags = {
  /** The kind of the server and its URL. */
  geocoder: parsedTextFlag(geocoderIn, {
    summary:
      'Server that finds addresses, which are sent to it: nominatim+URL or census+URL (default: none, ZIP codes)',
    group,
    placeholder: 'SERVER',
  }),
  /** The URL of a server with the interface of OSRM. */
  router: parsedTextFlag(routerIn, {
    summary: 'Server with the HTTP interface of OSRM, for the times of own drivers (default: straight lines)',
    group,
    placeholder: 'URL',
  }),
  geocoderRate: integerFlag({
    summary: 'Maximum requests a second to the geocoder',
    default: default_geocoder_rate,
    minimum: 1,
    maximum: max_geocoder_rate,
    group,
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

/** The servers for places of the embedded service, by the environment variables of these flags. Throws UsageError. */
export function placesIn({ environment }: Pick<Host, 'environment'>): PlaceServices {
  const read = <T>(name: string, flag: Flag<T>): T => {
    const typed = environment[nameEnvVar(name)] ?? '';
    try {
      return typed === '' ? flag.absent() : flag.read([typed]);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      throw new UsageError(`${nameEnvVar(name)} ${error.message}.`);
    }
  };
  const geocoder = read('geocoder', placeFlags.geocoder);
  const router = read('router', placeFlags.router);
  if (geocoder === undefined) return placeServicesOf({ router });
  return placeServicesOf({ geocoder, router, geocoderRate: read('geocoderRate', placeFlags.geocoderRate) });
}
