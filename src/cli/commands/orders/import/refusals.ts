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
import { flagsOfSettings, flagText } from '../auto-dispatch.ts';
import type { Destination, ImportRun } from './import-run.ts';
import { DamagedJournal, readJournal } from './journal.ts';
import type { Header } from './journal-entries.ts';
import { type JournalState, totalsOf } from './journal-state.ts';
import { counted, countOf } from './progress-text.ts';
import { importLine, isOtherLayout, type Source, tallyOf } from './source.ts';

/** Refuses to start an unfinished import again by accident; with --restart the journal is not even read. */
export async function checkNotStarted({ source, restart, destination }: ImportRun): Promise<void> {
  if (restart) return;
  const journal = await explainingDamage(source, () => readJournal(source.files.journal));
  if (journal === null) return;
  const { header, isFinished } = journal.state;
  const isSame = header.file.sha256 === (await tallyOf(source)).sha256();
  if (!isFinished || isSame) throw unfinished(source, journal.state, destination);
}

/** Explains why an import is not started again. An import into another account can be restarted here, but not resumed. */
function unfinished(source: Source, state: JournalState, destination: Destination): Failure {
  const { header, isFinished } = state;
  const at = timePart(new Date(header.at).toISOString());
  const resume = importLine(source, { resume: true });
  const message = isFinished
    ? phrase`${source.name} was imported already, ${at}: ${outcomeOf(state)}.`
    : phrase`An import of ${source.name} was started ${at} and is not finished.`;
  const { account_id, mode } = header.place;
  if (account_id !== destination.account_id || mode !== destination.mode) {
    const here = { ...restartLine(source), when: 'create its orders in this account' };
    return new Failure(6, 'import_begun', message, { why: otherAccountText(header), next: [here] });
  }
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

function restart(source: Source): NextStep {
  return { ...restartLine(source), when: 'create all of its orders again' };
}

/** With the same key the service would treat the orders as a repeat and create none. */
function restartLine({ name, typed }: Source): Invocation {
  const { idempotencyKey: _, ...others } = typed;
  return importLine({ name, typed: others }, { restart: true });
}

/**
 * Refuses to resume an import with another destination, other settings or a changed file, which would create sent
 * orders again. Throws Failure.
 */
export async function checkSame(
  header: Header,
  { source, settings, simulation, destination }: ImportRun,
): Promise<void> {
  if (JSON.stringify(destination) !== JSON.stringify(header.place)) throw other(otherAccountText(header));
  if (settings !== null && !isSame(settings, header.settings))
    throw other(`It was started ${settingsText(header.settings)}.`);
  if (simulation !== null && simulation !== header.simulation)
    throw other(`It was started with ${header.simulation === null ? 'no scenario' : header.simulation}.`);
  if (isOtherLayout(source.layout, header.file))
    throw other('It was started with another --preset, --map or --store.');
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

function otherAccountText({ place: { mode, profile, service } }: Header): string {
  return `It was started in ${mode} mode with the profile ${profile} at ${service}, in another account than this.`;
}

function other(why: Text): Failure {
  return new Failure(6, 'import_differs', 'The import cannot go on.', {
    why,
    hint: 'Resume it with the original options, or pass --restart to create all of its orders again.',
  });
}

export function nothingToResume(source: Source): UsageError {
  const { name, files } = source;
  return new UsageError(`There is no import of ${name} to resume: there is no ${files.journal}.`, {
    next: [{ ...importLine(source), when: 'begin one' }],
  });
}

/** Explains a damaged journal with the next step: the service may know what the journal lost. */
export async function explainingDamage<T>(source: Source, read: () => Promise<T>): Promise<T> {
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
