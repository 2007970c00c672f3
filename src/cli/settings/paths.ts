import type { Host } from '../kit/host/host.ts';

type Place = Pick<Host, 'environment' | 'platform' | 'home'>;

/** The folder of the settings; `WAYBILL_CONFIG_DIR` moves it. */
export function configFolder({ environment, platform, home }: Place): string {
  if (environment.WAYBILL_CONFIG_DIR) return environment.WAYBILL_CONFIG_DIR;
  if (platform === 'win32') return `${environment.APPDATA || `${home}\\AppData\\Roaming`}\\waybill\\Config`;
  if (platform === 'darwin') return `${home}/Library/Application Support/waybill`;
  return `${environment.XDG_CONFIG_HOME || `${home}/.config`}/waybill`;
}

/** The folder of the embedded service's database; `WAYBILL_DATA_DIR` moves it. */
export function dataFolder({ environment, platform, home }: Place): string {
  if (environment.WAYBILL_DATA_DIR) return environment.WAYBILL_DATA_DIR;
  if (platform === 'win32') return `${environment.LOCALAPPDATA || `${home}\\AppData\\Local`}\\waybill\\Data`;
  if (platform === 'darwin') return `${home}/Library/Application Support/waybill`;
  return `${environment.XDG_DATA_HOME || `${home}/.local/share`}/waybill`;
}

/** The folder of cached data: compiled code, completion candidates; `WAYBILL_CACHE_DIR` moves it. */
export function cacheFolder({ environment, platform, home }: Place): string {
  if (environment.WAYBILL_CACHE_DIR) return environment.WAYBILL_CACHE_DIR;
  if (platform === 'win32') return `${environment.LOCALAPPDATA || `${home}\\AppData\\Local`}\\waybill\\cache`;
  if (platform === 'darwin') return `${home}/Library/Caches/waybill`;
  return `${environment.XDG_CACHE_HOME || `${home}/.cache`}/waybill`;
}

/** The file of the profiles. */
export function profilesFile(place: Place): string {
  return within(configFolder(place), 'profiles.json', place);
}

/** The database of the embedded service. */
export function embeddedFile(place: Place): string {
  return within(dataFolder(place), 'waybill.db', place);
}

/** Joins a path by hand: node:path costs a tenth of a millisecond, in every look-up. */
export function within(folder: string, name: string, { platform }: Pick<Host, 'platform'>): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return folder.endsWith('/') || folder.endsWith(separator) ? folder + name : folder + separator + name;
}
