import type { Client } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/errors.ts';
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
import { findStoreId } from '../../../nouns/named-record.ts';
import type { Context } from '../../../session/command.ts';
import { flagsOfSettings, flagText } from '../auto-flags.ts';
import { confirmAutoDispatch } from '../send-auto.ts';
import { type CheckedFile, checkFile, noteIgnored } from './check-file.ts';
import type { OrderCheck } from './check-order.ts';
import { chunkLimits } from './chunks.ts';
import { setAside } from './files.ts';
import type { Imported } from './import-result.ts';
import { createJournal, DamagedJournal, openJournal, readJournal } from './journal.ts';
import type { Header } from './journal-entries.ts';
import { type JournalState, totalsOf } from './journal-state.ts';
import { counted, countOf } from './progress-text.ts';
import { showFirst } from './show-first.ts';
import { importLine, isOtherLayout, type Source, tallyOf } from './source.ts';
import { transfer } from './transfer.ts';
import type { ImportWait } from './wait-for-batches.ts';

/** The options of an import. */
export interface ImportRequest {
  source: Source;
  /** Null: manual dispatch. */
  settings: OrderSettings | null;
  simulation: string | null;
  concurrency: number;
  validateOnly: boolean;
  resume: boolean;
  restart: boolean;
  /** Whether to wait until every batch is complete, and how; null: do not wait. */
  wait: Pick<ImportWait, 'fail_on' | 'timeout_ms' | 'interval_ms'> | null;
}

/** An import into an account. */
interface ImportRun extends ImportRequest {
  destination: Destination;
  check: OrderCheck;
}

/** Reads the journal and starts or resumes the import; the lock admits one process at a time. */
export async function startedOrResumed(context: Context, run: ImportRun): Promise<Imported> {
  const isResumed = run.resume || (await isRepeated(context, run));
  return isResumed ? resumeImport(context, run) : startImport(context, run);
}

async function startImport(context: Context, run: ImportRun): Promise<Imported> {
  const { source, concurrency } = run;
  checkWait(run, run.settings);
  await checkNotStarted(run);
  const checked = await checkFile(context, source, run.check);
  noteIgnored(context, checked);
  await checkStores(await context.client(), checked);
  const header = headerOf(context, run, checked);
  await agree(context, header);
  if (context.globals.dryRun) return showFirst(context, source, header);
  const putBack = setAside(source.files.journal);
  const journal = await createJournal(source.files.journal, header);
  const undo = () => {
    journal.close();
    putBack();
  };
  try {
    return await transfer(context, { journal, source, concurrency, undo });
  } finally {
    journal.close();
  }
}

type Destination = Header['place'];

export function destinationOf(
  { settings }: Context,
  account: { account_id: string; test_mode: boolean },
): Destination {
  const { name, target } = settings;
  return {
    profile: name,
    service: target.kind === 'embedded' ? target.file : target.baseUrl,
    mode: account.test_mode ? 'test' : 'live',
    account_id: account.account_id,
  };
}

/** Refuses to start an unfinished import again by accident; with --restart the journal is not even read. */
async function checkNotStarted({ source, restart, destination }: ImportRun): Promise<void> {
  if (restart) return;
  const journal = await explainingDamage(source, () => readJournal(source.files.journal));
  if (journal === null) return;
  const { header, isFinished } = journal.state;
  const isSame = header.file.sha256 === (await tallyOf(source)).sha256();
  if (!isFinished || isSame) throw unfinished(source, journal.state, destination);
}

/** True if the same command was run before, so that it is resumed. */
async function isRepeated({ globals }: Context, { source, restart }: ImportRequest): Promise<boolean> {
  const { idempotencyKey, dryRun } = globals;
  if (idempotencyKey === undefined || restart || dryRun) return false;
  const journal = await explainingDamage(source, () => readJournal(source.files.journal));
  return journal?.state.header.id === idempotencyKey;
}

async function checkStores(client: Client, { stores }: CheckedFile): Promise<void> {
  const faults: { path: string; message: string; flag: null }[] = [];
  for (const [store_id, line] of stores) {
    const fault = await client.stores.get({ params: { store_id } }).then(
      () => null,
      (error: unknown) => {
        if (error instanceof ApiError && error.code === 'record_not_found') return error.message;
        throw error;
      },
    );
    if (fault === null) continue;
    const id = await idOfStoreNamed(client, store_id);
    const message = id === null ? fault : `needs the ID of ${store_id}: ${id}`;
    faults.push({ path: `line ${line}, pickup_store_id`, message, flag: null });
  }
  if (faults.length === 0) return;
  throw new UsageError('The file names saved places that there are not; nothing was sent.', {
    code: 'bad_rows',
    faults,
    next: [{ ...invocation('stores list'), when: 'see those that there are' }],
  });
}

/** The ID of the store with this name, which a file may give in place of the ID; null if none or several have it. */
async function idOfStoreNamed(client: Client, word: string): Promise<string | null> {
  try {
    const id = await findStoreId({ client: async () => client }, word);
    return id === word ? null : id;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function headerOf(context: Context, run: ImportRun, { sha256, rows, columns }: CheckedFile): Header {
  const { format, layout } = run.source;
  return {
    type: 'import',
    version: 2,
    // With --idempotency-key a repeated command creates nothing twice even if its journal is lost.
    id: context.idempotencyKey('import'),
    file: {
      format,
      sha256,
      rows,
      columns: [...columns],
      preset: layout.preset,
      map: layout.map.map((pair) => [...pair]),
      store: layout.store,
    },
    place: run.destination,
    settings: run.settings,
    simulation: run.simulation,
    limits: chunkLimits,
    at: context.now(),
  };
}

/**
 * Says what will be imported; the first request reports the destination. Auto dispatch in live mode needs confirmation.
 */
async function agree(context: Context, { file, settings }: Header): Promise<void> {
  const what = file.rows === 1 ? 'One order' : `${counted(file.rows)} orders`;
  const how = settings === null ? 'for manual dispatch' : 'for auto dispatch';
  if (!context.output.json) context.note(`${what}, ${how}.`);
  if (settings !== null) await confirmAutoDispatch(context, file.rows, settings.max_cost);
}

async function resumeImport(context: Context, run: ImportRun): Promise<Imported> {
  const { source, concurrency } = run;
  const journal = await explainingDamage(source, () => openJournal(source.files.journal));
  if (journal === null) throw nothingToResume(source);
  const { header, isFinished } = journal.state;
  try {
    await checkSame(header, run);
    checkWait(run, header.settings);
    if (!isFinished) await agree(context, header);
    return await transfer(context, { journal, source: sourceIn(header, source), concurrency, undo: null });
  } finally {
    journal.close();
  }
}

/** The file is read with the options that the import was started with. */
function sourceIn({ file }: Header, source: Source): Source {
  const { format, preset, map, store } = file;
  const pairs = map.map(([header = '', field = '']) => [header, field] as const);
  return { ...source, format, layout: { preset, map: pairs, store } };
}

/** Throws UsageError if there is nothing to wait for. */
function checkWait({ wait }: ImportRequest, settings: OrderSettings | null): void {
  if (wait === null || settings !== null) return;
  throw new UsageError('--wait applies to auto dispatch: add --auto, or remove --wait.');
}

/** Explains a damaged journal with the next step: the service may know what the journal lost. */
async function explainingDamage<T>(source: Source, read: () => Promise<T>): Promise<T> {
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

function nothingToResume(source: Source): UsageError {
  const { name, files } = source;
  return new UsageError(`There is no import of ${name} to resume: there is no ${files.journal}.`, {
    next: [{ ...importLine(source), when: 'begin one' }],
  });
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

/**
 * Refuses to resume an import with another destination, other settings or a changed file, which would create sent
 * orders again. Throws Failure.
 */
async function checkSame(
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
