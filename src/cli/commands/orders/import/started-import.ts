/** What the journal of a file says: whether the import was started, is the same one, and how it goes on. */
import type { OrderSettings } from '../../../../contract/orders.ts';
import { Failure } from '../../../kit/errors/failure.ts';
import { invocation, type NextStep, phrase, type Text, timePart } from '../../../kit/result/message.ts';
import type { BatchesWait } from '../../../nouns/batch-waiting.ts';
import type { Context } from '../../../session/command.ts';
import { flagsOfSettings, flagText } from '../auto-dispatch.ts';
import type { OrderCheck } from './check-order.ts';
import { noneThere, orderIdsIn, readOrdersThere, shipSteps } from './import-result.ts';
import {
  countSettledRows,
  DamagedJournal,
  type Header,
  type Journal,
  type JournalState,
  readJournal,
} from './journal.ts';
import { countText, formatNumber } from './progress.ts';
import { importLine, type Layout, type Source, tallyOf } from './source.ts';

export interface ImportRequest {
  source: Source;
  /** Null: manual dispatch. */
  settings: OrderSettings | null;
  simulation: string | null;
  concurrency: number;
  validateOnly: boolean;
  resume: boolean;
  restart: boolean;
  /** An order whose reference is in use is created nevertheless. */
  allowDuplicateRef: boolean;
  /** An order that was canceled is created again. */
  recreateCanceled: boolean;
  /** Rows with faults are not sent, and the others are. */
  skipInvalid: boolean;
  /** How to wait until every batch is complete; null: do not wait. */
  wait: BatchesWait | null;
}

export type Destination = Header['place'];

export interface ImportRun extends ImportRequest {
  destination: Destination;
  check: OrderCheck;
}

export type ReadJournal = Pick<Journal, 'state' | 'read'>;

const againText =
  'Orders whose references are in use are left out; those without a reference are made again.';

/** True if the same command was run before, so that it is resumed. */
export async function wasStartedWithSameKey(
  { globals }: Context,
  { source, restart }: ImportRequest,
): Promise<boolean> {
  const { idempotencyKey, dryRun } = globals;
  if (idempotencyKey === undefined || restart || dryRun) return false;
  const journal = await explainDamage(() => readJournal(source.files.journal));
  return journal?.state.header.id === idempotencyKey;
}

/** Explains a damaged journal with the next step: the service may know what the journal lost. */
export async function explainDamage<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DamagedJournal)) throw error;
    throw new Failure(6, 'journal_damaged', error.message, {
      why: 'It was changed or cut, or written by another version of waybill. Orders may have been made.',
      hint: `Restore it, or start over with --restart. ${againText}`,
      next: [{ ...invocation('orders list'), when: 'see which orders were made' }],
      cause: error,
    });
  }
}

/** The journal of an import of this file with its present content; null without one, or if it is damaged. */
export async function readOwnImport(source: Source): Promise<ReadJournal | null> {
  const journal = await readJournal(source.files.journal).catch((error: unknown) => {
    if (error instanceof DamagedJournal) return null;
    throw error;
  });
  if (journal === null) return null;
  return journal.state.header.file.sha256 === (await tallyOf(source)).sha256() ? journal : null;
}

/** The command that resumes an import. */
export function resumeStep(source: Pick<Source, 'name' | 'typed'>, { isFinished }: JournalState): NextStep {
  const when = isFinished ? 'see the result again' : 'go on, nothing is made twice';
  return { ...importLine(source, { resume: true }), when };
}

/** Refuses to start an unfinished import again by accident; with --restart the journal is not even read. */
export async function checkNotStarted(context: Context, run: ImportRun): Promise<void> {
  const { source, restart } = run;
  if (restart) return;
  const journal = await explainDamage(() => readJournal(source.files.journal));
  if (journal === null) return;
  const { header, isFinished } = journal.state;
  const isSame = header.file.sha256 === (await tallyOf(source)).sha256();
  if (!isFinished || isSame) throw await alreadyStarted(context, run, journal);
}

/** Explains why an import is not started again. */
async function alreadyStarted(context: Context, run: ImportRun, journal: ReadJournal): Promise<Failure> {
  const { source, destination } = run;
  const { state } = journal;
  const { header, isFinished } = state;
  const at = timePart(new Date(header.at).toISOString());
  const message = isFinished
    ? phrase`${source.name} was imported already, ${at}: ${outcomeOf(state)}.`
    : phrase`An import of ${source.name} was started ${at} and is not finished.`;
  const { account_id, mode } = header.place;
  if (account_id !== destination.account_id || mode !== destination.mode) {
    return new Failure(6, 'import_begun', message, {
      why: otherAccountText(header),
      hint: 'To create its orders in this account, start over with --restart.',
    });
  }
  return new Failure(6, 'import_begun', message, { next: await stepsAfter(context, run, journal) });
}

/** Goes on with a started import. One for manual dispatch stays that: its orders are sent as they are. */
export async function stepsAfter(
  context: Context,
  { source, settings }: ImportRun,
  journal: ReadJournal,
): Promise<NextStep[]> {
  const { header, isFinished } = journal.state;
  if (settings === null || header.settings !== null) return [resumeStep(source, journal.state)];
  const there = isFinished ? await readOrdersThere(context, orderIdsIn(journal, 'all')) : noneThere;
  const steps = shipSteps(there.undispatched, settings);
  if (steps.length > 0) return steps;
  const ofAuto = ['wait', 'failOn', 'timeout', 'interval', ...Object.keys(flagsOfSettings(settings))];
  const typed = Object.entries(source.typed).filter(([name]) => !ofAuto.includes(name));
  const manual = { name: source.name, typed: Object.fromEntries(typed) };
  return [resumeStep(manual, journal.state)];
}

function outcomeOf(state: JournalState): string {
  const { made, failed, there } = countSettledRows(state);
  const text = `${countText(made, 'order')} ${made === 1 ? 'was' : 'were'} made${there === 0 ? '' : `, ${formatNumber(there)} were there already`}`;
  return failed === 0 ? text : `${text}, ${formatNumber(failed)} failed`;
}

/**
 * Refuses to resume an import with another destination, other settings or a changed file, which would create sent
 * orders again. Throws Failure.
 */
export async function checkSameImport(
  header: Header,
  { source, settings, simulation, destination }: ImportRun,
): Promise<void> {
  if (JSON.stringify(destination) !== JSON.stringify(header.place))
    throw cannotResume(otherAccountText(header));
  if (settings !== null && !isSameSettings(settings, header.settings))
    throw cannotResume(startedText(header.settings));
  if (simulation !== null && simulation !== header.simulation)
    throw cannotResume(
      `It was started with ${header.simulation === null ? 'no scenario' : header.simulation}.`,
    );
  const other = differenceInLayout(source.layout, header.file);
  if (other !== null) throw cannotResume(`It was started with another ${other}.`);
  const tally = await tallyOf(source);
  if (tally.sha256() !== header.file.sha256)
    throw cannotResume(
      phrase`${source.name} was changed since ${timePart(new Date(header.at).toISOString(), 'none')}.`,
    );
}

/** `It was started for auto dispatch, with --max-cost 12.50.` */
export function startedText(settings: OrderSettings | null): string {
  if (settings === null) return 'It was started for manual dispatch.';
  const { auto: _, ...flags } = flagsOfSettings(settings);
  const text = flagText(flags);
  return `It was started for auto dispatch, ${text === '' ? 'as it is without flags' : `with ${text}`}.`;
}

function isSameSettings(settings: OrderSettings, original: OrderSettings | null): boolean {
  const sorted = (each: OrderSettings) => JSON.stringify(Object.entries(each).sort());
  return original !== null && sorted(settings) === sorted(original);
}

/** The flag that is given otherwise than when an import was started; null if there is none. */
function differenceInLayout(layout: Layout, started: Header['file']): string | null {
  const { preset, map, store, only, statuses, set, dateAttributes, isOrderPerRow } = layout;
  const isOther = (given: readonly unknown[], before: readonly unknown[] = []) =>
    given.length > 0 && JSON.stringify(given) !== JSON.stringify(before);
  if (preset !== null && preset !== started.preset) return '--preset';
  if (isOther(map, started.map)) return '--map';
  if (store !== null && store !== started.store) return '--store';
  if (isOther(only, started.only)) return '--only';
  if (isOther(statuses, started.statuses)) return '--status';
  if (isOther(set, started.set)) return '--set';
  if (isOther(dateAttributes, started.date_attributes)) return '--date-attribute';
  return isOrderPerRow && started.one_order_per_row !== true ? '--one-order-per-row' : null;
}

function otherAccountText({ place: { mode, profile, service } }: Header): string {
  return `It was started in ${mode} mode with the profile ${profile} at ${service}, in another account than this.`;
}

export function cannotResume(why: Text, next: NextStep[] = []): Failure {
  return new Failure(6, 'import_differs', 'The import cannot go on.', {
    why,
    hint: `Resume it with the original file and options, or start over with --restart. ${againText}`,
    next,
  });
}

/** The file is read with the options that the import was started with. */
export function sourceAsStarted({ file }: Header, source: Source): Source {
  const { format, preset, map, store, only = [], statuses = [], one_order_per_row = true } = file;
  const { set = [], date_attributes: dateAttributes = [] } = file;
  const pairsOf = (pairs: readonly (readonly string[])[]) =>
    pairs.map(([header = '', text = '']) => [header, text] as const);
  const layout = { map: pairsOf(map), only: pairsOf(only), statuses, isOrderPerRow: one_order_per_row };
  return { ...source, format, layout: { ...layout, set: pairsOf(set), dateAttributes, preset, store } };
}
