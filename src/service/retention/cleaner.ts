/**
 * Deletes old data every hour, unless the clock may be wrong: what it deletes cannot be brought back. The time of the
 * last cleaning is stored. After a longer gap than two days, and before a cleaning that would take more than half of the
 * rows of a kind, it waits until this process has run for two days on a clock that did not jump, or until an operator
 * says that the clock is right.
 */
import { day_ms, hour_ms, minute_ms } from '../../domain/durations.ts';
import type { Retention } from '../../domain/operator-settings.ts';
import type { OldCount } from '../../storage/deletion.ts';
import { readSetting, replaceSetting, writeSetting } from '../../storage/settings.ts';
import type { TrustedTime } from '../runtime/base-clock.ts';
import type { SharedContext } from '../runtime/context.ts';
import { whileOwner } from '../runtime/processes.ts';
import { instant } from '../runtime/time.ts';

/** The time from the start of the service to the first deletion; commands of the embedded service end earlier. */
const first_cleaning_ms = 10 * minute_ms;
const cleaning_interval_ms = hour_ms;
/** A gap that a stopped service explains; a jump of the clock within it is allowed for (see `ageLimits`). */
const max_gap_ms = 2 * day_ms;

const settingName = 'last_cleaning';

/** The stored setting: the time of the last cleaning, and what `serve` keeps for how long. */
interface LastCleaning {
  at: number;
  retention: Retention;
}

export interface Cleaner {
  /** Cleans every hour, until `stop`. */
  start: () => void;
  stop: () => Promise<void>;
  /** Why it does not clean at present; null if it does. */
  warning: () => string | null;
  /** What a cleaning would delete now, by the clock `now`. */
  preview: () => Promise<{ now: number; rows: OldCount[] }>;
  /** Cleans now, whatever the gap. */
  clean: () => Promise<void>;
}

export function createCleaner(shared: SharedContext): Cleaner {
  const { storage, timers, onFault } = shared;
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let warning: string | null = null;
  /**
   * Stores the retention. In a database that was never cleaned it also stores when the database was last used, before
   * new requests change that.
   */
  const begin = async () => {
    const { now, steady_ms } = await shared.readTrustedTime();
    const believed = await storage.read((db) => readSetting(db, settingName));
    const last = await lastCleaning(shared, now);
    const value = JSON.stringify({ ...last, retention: shared.retention });
    if (value !== believed) await storage.write((db) => replaceSetting(db, settingName, { believed, value }));
    warn(steady_ms >= max_gap_ms ? null : gapText(last, now));
  };
  const reasonToWait = async (time: TrustedTime) => {
    if (time.steady_ms >= max_gap_ms) return null;
    const gap = gapText(await lastCleaning(shared, time.now), time.now);
    return gap ?? halfText(await countOld(shared, shared.retention, time));
  };
  const warn = (text: string | null) => {
    if (text !== null && text !== warning) onFault?.(text, null);
    warning = text;
  };
  const cleanIfTrusted = async () => {
    const time = await shared.readTrustedTime();
    warn(await reasonToWait(time));
    if (warning === null) await cleanBy(shared, time, shared.retention, () => cancel === null);
  };
  const inBackground = (work: () => Promise<unknown>) =>
    whileOwner(shared, work).then(
      () => {},
      (fault: unknown) => onFault?.(fault, null),
    );
  const schedule = (delay_ms: number) => {
    cancel = timers.after(delay_ms, () => {
      running = (running ?? Promise.resolve()).then(() => inBackground(cleanIfTrusted));
      running.then(() => {
        if (cancel !== null) schedule(cleaning_interval_ms);
      });
    });
  };
  return {
    start: () => {
      if (cancel !== null) return;
      running = inBackground(begin);
      schedule(first_cleaning_ms);
    },
    stop: async () => {
      cancel?.();
      cancel = null;
      await running;
    },
    warning: () => warning,
    preview: async () => {
      const time = await shared.readTrustedTime();
      const { retention } = await lastCleaning(shared, time.now);
      return { now: time.now, rows: await countOld(shared, retention, time) };
    },
    clean: async () => {
      const time = await shared.readTrustedTime();
      const { retention } = await lastCleaning(shared, time.now);
      await cleanBy(shared, time, retention, () => false);
    },
  };
}

// Loaded when they are needed: most commands on the embedded service clean nothing.
const loadQueries = () => import('../../storage/deletion.ts');
const loadDeletion = () => import('./delete-old-data.ts');

/** Reads the last cleaning. A database that has none was in use at the time of its newest record. */
async function lastCleaning({ storage, retention }: SharedContext, now: number): Promise<LastCleaning> {
  const text = await storage.read((db) => readSetting(db, settingName));
  if (text !== null) return JSON.parse(text);
  const { latestWrite } = await loadQueries();
  return { at: (await storage.read(latestWrite)) ?? now, retention };
}

async function countOld(
  { storage }: SharedContext,
  retention: Retention,
  time: TrustedTime,
): Promise<OldCount[]> {
  const { countOldRows } = await loadQueries();
  const { ageLimits } = await loadDeletion();
  return storage.read((db) => countOldRows(db, ageLimits(retention, time)));
}

async function cleanBy(
  shared: SharedContext,
  time: TrustedTime,
  retention: Retention,
  hasToStop: () => boolean,
): Promise<void> {
  const { deleteOldData } = await loadDeletion();
  await deleteOldData(shared, retention, time, hasToStop);
  if (hasToStop()) return;
  const value = JSON.stringify({ at: time.now, retention });
  await shared.storage.write((db) => writeSetting(db, settingName, value));
}

const until =
  'nothing is deleted until this process has run for two days on a clock that did not jump, or `waybill admin clean` confirms that the clock is right';

function gapText({ at }: LastCleaning, now: number): string | null {
  if (now - at <= max_gap_ms) return null;
  const days = Math.floor((now - at) / day_ms);
  return `The clock shows ${instant(now)}, ${days} days after the last cleaning: ${until}.`;
}

const oldNames: Readonly<Record<string, string>> = {
  attempts: 'attempts to send webhooks',
  reports: 'requests of couriers',
  quotes: 'quotes',
  audit: 'entries of the audit',
  places: 'answers of the geocoder',
  people: 'ended deliveries with their people',
};

/** Keys are not counted: they are few, and all of them are old after some days without a request. */
function halfText(rows: readonly OldCount[]): string | null {
  const most = rows.find(({ kind, old, total }) => kind !== 'keys' && old > total / 2);
  if (most === undefined) return null;
  return `A cleaning would take ${most.old} of ${most.total} ${oldNames[most.kind] ?? most.kind}, more than half: ${until}.`;
}
