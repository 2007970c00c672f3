import { isCi } from '../kit/output/progress.ts';
import type { Context } from '../session/context.ts';
import { preferences, preferred } from '../settings/preferences.ts';
import type { Settings } from '../settings/settings.ts';
import { changeUpdate, readUpdate, updateFile } from './record.ts';

const day_ms = 24 * 60 * 60 * 1000;

type Place = Pick<Context, 'host' | 'warn'> & { readonly settings: Pick<Settings, 'profile' | 'target'> };

/**
 * After a command in a terminal: prints an update notice once a day if an earlier check found a newer version, and
 * starts the next daily check in the background.
 */
export async function noticeUpdate(context: Place): Promise<void> {
  const { host, warn } = context;
  if (!isWanted(context)) return;
  const file = updateFile(host);
  const { latest, checked_at, notified_at } = readUpdate(file);
  const now = host.now();
  // The clock may be set back or forward.
  const isDue = (last: number) => Math.abs(now - last) >= day_ms;
  if (
    latest !== null &&
    isNewer(latest, host.version) &&
    isDue(notified_at) &&
    changeUpdate(file, { notified_at: now })
  )
    warn(`waybill ${latest} is out, this is ${host.version}: npm install --global waybill`);
  if (isDue(checked_at) && changeUpdate(file, { checked_at: now })) await host.startUpdateCheck(file);
}

/**
 * False without a terminal, if the user turned notices off, and for the embedded service, which must not use the
 * network.
 */
function isWanted({ host, settings }: Place): boolean {
  const { environment, stdout } = host;
  if (!stdout.isTerminal || isCi(host) || settings.target.kind === 'embedded') return false;
  if (environment.WAYBILL_NO_UPDATE_NOTICE || environment.NO_UPDATE_NOTIFIER) return false;
  const own = preferences.find(({ key }) => key === 'update_notice');
  return own === undefined || own.reader.read([preferred(settings.profile, own) ?? 'yes']) === true;
}

/** The three numbers of a version; null for anything else, including prereleases. */
function numbersOf(version: string): number[] | null {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(version);
  return found === null ? null : found.slice(1).map(Number);
}

/** True for a later release. */
export function isNewer(version: string, than: string): boolean {
  const [found, own] = [numbersOf(version), numbersOf(than.replace(/-.*$/, ''))];
  if (found === null || own === null) return false;
  const [place = -1] = found
    .map((number, index) => (number === own[index] ? -1 : index))
    .filter((at) => at >= 0);
  if (place === -1) return than.includes('-');
  return (found[place] ?? 0) > (own[place] ?? 0);
}
