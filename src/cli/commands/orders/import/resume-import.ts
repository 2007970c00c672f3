import { existsSync, renameSync } from 'node:fs';
import type { OrderSettings } from '../../../../contract/orders.ts';
import { Failure, UsageError } from '../../../kit/errors/failure.ts';
import {
  type Invocation,
  invocation,
  type NextStep,
  phrase,
  type Text,
  timePart,
} from '../../../kit/result/message.ts';
import { flagsOfSettings, flagText } from '../auto.ts';
import { removeFile } from './csv.ts';
import { DamagedJournal, type Header, type JournalState, totalsOf } from './journal.ts';
import { counted, countOf } from './progress-text.ts';
import { importLine, type Places, type Source, tallyOf, unwritable } from './source.ts';

/** Explains a damaged journal with the next step: the service may know what the journal lost. */
export async function readable<T>(source: Source, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DamagedJournal)) throw error;
    throw new Failure(6, 'journal_damaged', error.message, {
      why: 'It was changed or cut, or written by another version of waybill. Orders may have been made.',
      hint: 'Restore it, or check which orders were created: --restart creates all of them again.',
      next: [{ ...invocation('orders list'), when: 'see which orders were made' }, restart(source)],
      cause: error,
    });
  }
}

function restart(source: Source): NextStep {
  return { ...restartLine(source), when: 'create all of its orders again' };
}

/** With the same key the service would treat the orders as a repeat and create none. */
function restartLine({ name, typed }: Source): Invocation {
  const { idempotencyKey: _, ...others } = typed;
  return importLine({ name, typed: others }, { restart: true });
}

export function nothingToResume(source: Source, { journal }: Places): UsageError {
  return new UsageError(`There is no import of ${source.name} to resume: there is no ${journal}.`, {
    next: [{ ...importLine(source), when: 'begin one' }],
  });
}

/** Explains why an unfinished import is not started again. */
export function unfinished(source: Source, state: JournalState): Failure {
  const { header, isFinished } = state;
  const at = timePart(new Date(header.at).toISOString());
  const resume = importLine(source, { resume: true });
  const message = isFinished
    ? phrase`${source.name} was imported already, ${at}: ${outcomeOf(state)}.`
    : phrase`An import of ${source.name} was started ${at} and is not finished.`;
  const next = {
    ...resume,
    when: isFinished ? 'see the result again' : 'go on, nothing is made twice',
  };
  return new Failure(6, 'import_begun', message, { next: [next, restart(source)] });
}

function outcomeOf(state: JournalState): string {
  const { made, failed } = totalsOf(state);
  const text = `${countOf(made, 'order')} ${made === 1 ? 'was' : 'were'} made`;
  return failed === 0 ? text : `${text}, ${counted(failed)} failed`;
}

interface Again {
  source: Source;
  settings: OrderSettings | null;
  simulation: string | null;
  place: Header['place'];
}

/**
 * Refuses to resume an import with another destination, other settings or a changed file, which would create sent
 * orders again. Throws Failure.
 */
export async function checkSame(
  header: Header,
  { source, settings, simulation, place }: Again,
): Promise<void> {
  const { profile, service, mode } = header.place;
  if (JSON.stringify(place) !== JSON.stringify(header.place))
    throw other(
      `It was started in ${mode} mode with the profile ${profile} at ${service}, in another account than this.`,
    );
  if (settings !== null && !isSame(settings, header.settings))
    throw other(`It was started ${settingsText(header.settings)}.`);
  if (simulation !== null && simulation !== header.simulation)
    throw other(`It was started with ${header.simulation === null ? 'no scenario' : header.simulation}.`);
  const tally = await tallyOf(source);
  if (tally.sha256() !== header.file.sha256)
    throw other(
      phrase`${source.name} was changed since ${timePart(new Date(header.at).toISOString(), 'none')}.`,
    );
}

/** `for auto dispatch, with --max-cost 12.50` */
function settingsText(settings: OrderSettings | null): string {
  if (settings === null) return 'for manual dispatch';
  const { auto: _, ...flags } = flagsOfSettings(settings);
  const text = flagText(flags);
  return `for auto dispatch, ${text === '' ? 'as it is without flags' : `with ${text}`}`;
}

function isSame(settings: OrderSettings, original: OrderSettings | null): boolean {
  const sorted = (each: OrderSettings) => JSON.stringify(Object.entries(each).sort());
  return original !== null && sorted(settings) === sorted(original);
}

function other(why: Text): Failure {
  return new Failure(6, 'import_differs', 'The import cannot go on.', {
    why,
    hint: 'Resume it with the original options, or pass --restart to create all of its orders again.',
  });
}

/**
 * Renames the journal of an abandoned import, which records what was created. Returns a function that restores it, in
 * case the new import never starts.
 */
export function setAside(journal: string): () => void {
  const old = `${journal}.old`;
  const isThere = existsSync(journal);
  if (isThere) move(journal, old);
  return () => {
    removeFile(journal);
    if (isThere) move(old, journal);
  };
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    throw unwritable(to, error);
  }
}

/**
 * Removes the faults file of an earlier check after a check without findings; if a journal exists, the file belongs to
 * its import and stays.
 */
export function removeOldFaults({ journal, failed }: Places): void {
  if (!existsSync(journal)) removeFile(failed);
}
