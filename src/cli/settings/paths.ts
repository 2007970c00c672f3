import { join } from 'node:path';
import type { Host } from '../host.ts';

type Place = Pick<Host, 'environment' | 'platform' | 'home'>;

/** The folder of the settings; `WAYBILL_CONFIG_DIR` moves it. */
export function configFolder({ environment, platform, home }: Place): string {
  if (environment.WAYBILL_CONFIG_DIR) return environment.WAYBILL_CONFIG_DIR;
  if (platform === 'win32')
    return join(environment.APPDATA || join(home, 'AppData', 'Roaming'), 'waybill', 'Config');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'waybill');
  return join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'waybill');
}

/** The folder of the embedded service's database; `WAYBILL_DATA_DIR` moves it. */
export function dataFolder({ environment, platform, home }: Place): string {
  if (environment.WAYBILL_DATA_DIR) return environment.WAYBILL_DATA_DIR;
  if (platform === 'win32')
    return join(environment.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'waybill', 'Data');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'waybill');
  return join(environment.XDG_DATA_HOME || join(home, '.local', 'share'), 'waybill');
}

/** The file that profiles are kept in. */
export function profilesFile(place: Place): string {
  return join(configFolder(place), 'profiles.json');
}

/** The database of the embedded service. */
export function embeddedFile(place: Place): string {
  return join(dataFolder(place), 'waybill.db');
}
