import { existsSync, renameSync } from 'node:fs';
import type { Client } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/errors.ts';
import { records } from '../../../../client/pages.ts';
import type { BatchCounts, BatchSummary } from '../../../../contract/batches.ts';
import type { OrderSettings } from '../../../../contract/orders.ts';
import { outcomes } from '../../../../contract/vocabulary.ts';
import type { Gazetteer } from '../../../../domain/locate-address.ts';
import { BadOutcome, Failure, type FailureDetails, UsageError } from '../../../kit/errors/failure.ts';
import {
  type Invocation,
  invocation,
  type NextStep,
  phrase,
  type Text,
  timePart,
} from '../../../kit/result/message.ts';
import type { Result } from '../../../kit/result/result.ts';
import { type FileLock, takeLock } from '../../../kit/system/files.ts';
import {
  type BatchTarget,
  batchEvents,
  batchTimeout,
  countsText,
  getBatch,
  partsText,
} from '../../../nouns/batch.ts';
import { findStoreId } from '../../../nouns/named-record.ts';
import type { Context } from '../../../session/command.ts';
import { type Awaitable, waitFor } from '../../../waiting/service-waiting.ts';
import { confirmAutoDispatch, flagsOfSettings, flagText } from '../auto.ts';
import { type CheckedFile, checkFile, createPlaceWarnings, noteIgnored, showFirst } from './check-file.ts';
import { removeFile } from './csv.ts';
import {
  createJournal,
  DamagedJournal,
  type Header,
  type Journal,
  type JournalState,
  openJournal,
  readJournal,
  totalsOf,
} from './journal.ts';
import { counted, countOf } from './progress-text.ts';
import { chunkLimits } from './send-chunks.ts';
import {
  importLine,
  isOtherLayout,
  type Places,
  placesOf,
  type Source,
  tallyOf,
  unwritable,
} from './source.ts';
import {
  type Imported,
  importResult,
  type Summary,
  summaryShown,
  transfer,
  validationResult,
} from './transfer.ts';

/** The options of an import. */
interface ImportRequest {
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

/** Imports a file of orders or resumes an import. */
export async function importOrders(context: Context, request: ImportRequest): Promise<Result> {
  const { source } = request;
  const places = placesOf(source.path);
  if (request.validateOnly) {
    const gazetteer = await gazetteerOf(context);
    const addresses = createPlaceWarnings(context);
    const { onOrder } = addresses;
    const checked = await checkFile(context, source, { places, now: null, gazetteer, onOrder });
    noteIgnored(context, checked);
    removeOldFaults(places);
    await addresses.warn();
    return validationResult(source, checked);
  }
  // Connects before the file is checked: its times are compared with the service's.
  const client = await context.client();
  checkRepeatable(context);
  const account = await client.account.get();
  const place = placeOf(context, account.data);
  const now = account.service_time ?? context.now();
  const run = () =>
    startedOrResumed(context, request, { places, place, now, tip_limit: account.data.tip_limit });
  // A dry run changes nothing on this machine either.
  const imported = await (context.globals.dryRun ? run() : locked(context, source, places, run));
  return importResult(context, await waitForDispatches(context, imported, request));
}

/** An interrupted import repeats requests: without idempotency keys, orders would be created twice. */
function checkRepeatable(context: Context): void {
  if (context.has('idempotency')) return;
  const create = invocation('orders create', ['--file', 'FILE', '--auto']);
  throw new Failure(6, 'not_supported', 'This service has no idempotency keys, which an import needs.', {
    hint: phrase`Up to 300 orders can be sent in one request: \`${create}\`.`,
    next: [{ ...create, when: 'send up to 300 orders in one request' }],
  });
}

/**
 * The tables of ZIP codes and cities by which a waybill service checks addresses, for `--validate-only`, which sends
 * nothing. Null for another service, recognized by its missing account information: it has rules of its own.
 */
async function gazetteerOf(context: Context): Promise<Gazetteer | null> {
  if (!context.has('account')) return null;
  const { readGazetteer } = await import('../../../../service/runtime/gazetteer.ts');
  return readGazetteer();
}

/** Waits until every batch is complete, if requested. */
async function waitForDispatches(
  context: Context,
  imported: Imported,
  { wait }: ImportRequest,
): Promise<Imported> {
  const { summary, source } = imported;
  const [first, ...others] = summary.batch_ids;
  if (wait === null || first === undefined) return imported;
  const withCounts = (counts: Summary['counts']) => ({ ...summary, ...(counts && { counts }) });
  const counts = await waitForBatches(context, [first, ...others], {
    ...wait,
    again: importLine(source, { resume: true }),
    answer: (so_far) => summaryShown(context, withCounts(so_far)),
  });
  return { ...imported, summary: withCounts(counts) };
}

/** Throws UsageError if there is nothing to wait for. */
function checkWait({ wait }: ImportRequest, settings: OrderSettings | null): void {
  if (wait === null || settings !== null) return;
  throw new UsageError('--wait applies to auto dispatch: add --auto, or remove --wait.');
}

interface Around {
  places: Places;
  place: Place;
  now: number;
  tip_limit: number | null;
}

/** Reads the journal and starts or resumes the import; the lock admits one process at a time. */
async function startedOrResumed(context: Context, request: ImportRequest, around: Around): Promise<Imported> {
  const { source } = request;
  const { places, place } = around;
  if (request.resume || (await isRepeated(context, request, places)))
    return resumeImport(context, request, around);
  checkWait(request, request.settings);
  await checkNotStarted(request, places);
  const checked = await checkFile(context, source, around);
  noteIgnored(context, checked);
  await checkStores(await context.client(), checked);
  const header = headerOf(context, request, { checked, place });
  await agree(context, header);
  if (context.globals.dryRun) return showFirst(context, source, header);
  const putBack = setAside(places.journal);
  const journal = await createJournal(places.journal, header);
  const undo = () => {
    journal.close();
    putBack();
  };
  return transfer(context, { journal, source, places, concurrency: request.concurrency, undo });
}

type Place = Header['place'];

function placeOf({ settings }: Context, account: { account_id: string; test_mode: boolean }): Place {
  const { name, target } = settings;
  return {
    profile: name,
    service: target.kind === 'embedded' ? target.file : target.baseUrl,
    mode: account.test_mode ? 'test' : 'live',
    account_id: account.account_id,
  };
}

/** Refuses to start an unfinished import again by accident; with --restart the journal is not even read. */
async function checkNotStarted({ source, restart }: ImportRequest, places: Places): Promise<void> {
  if (restart) return;
  const journal = await readable(source, () => readJournal(places.journal));
  if (journal === null) return;
  const { header, isFinished } = journal.state;
  const isSame = header.file.sha256 === (await tallyOf(source)).sha256();
  if (!isFinished || isSame) throw unfinished(source, journal.state);
}

/** True if the same command was run before, so that it is resumed. */
async function isRepeated(context: Context, request: ImportRequest, places: Places): Promise<boolean> {
  const { idempotencyKey, dryRun } = context.globals;
  if (idempotencyKey === undefined || request.restart || dryRun) return false;
  const journal = await readable(request.source, () => readJournal(places.journal));
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

interface NewImport {
  checked: CheckedFile;
  place: Place;
}

function headerOf(context: Context, request: ImportRequest, { checked, place }: NewImport): Header {
  const { sha256, rows, columns } = checked;
  const { format, layout } = request.source;
  return {
    type: 'import',
    version: 2,
    // With --idempotency-key a repeated command creates nothing twice even if its journal is lost.
    id: context.idempotencyKey('import'),
    file: {
      ...{ format, sha256, rows, columns: [...columns] },
      ...{ preset: layout.preset, map: layout.map.map((pair) => [...pair]), store: layout.store },
    },
    place,
    settings: request.settings,
    simulation: request.simulation,
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

async function resumeImport(
  context: Context,
  request: ImportRequest,
  { places, place }: Around,
): Promise<Imported> {
  const { source, concurrency } = request;
  const journal = await readable(source, () => openJournal(places.journal));
  if (journal === null) throw nothingToResume(source, places);
  try {
    await checkSame(journal.state.header, { ...request, place });
    checkWait(request, journal.state.header.settings);
    if (!journal.state.isFinished) await agree(context, journal.state.header);
    const read = sourceIn(journal, source);
    return await transfer(context, { journal, source: read, places, concurrency, undo: null });
  } finally {
    journal.close();
  }
}

/** The file is read with the options that the import was started with. */
function sourceIn({ state }: Journal, source: Source): Source {
  const { format, preset, map, store } = state.header.file;
  const pairs = map.map(([header = '', field = '']) => [header, field] as const);
  return { ...source, format, layout: { preset, map: pairs, store } };
}

/** Runs the import under its lock; an interruption waits for it, but not for long. */
async function locked<T>(
  context: Context,
  { name }: Source,
  places: Places,
  work: () => Promise<T>,
): Promise<T> {
  const lock = lockFile(places.lock, name);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  context.onStop(() => Promise.race([ended, briefly(context)]));
  try {
    return await work();
  } finally {
    lock.release();
    resolve();
  }
}

const grace_ms = 5_000;

function briefly({ host }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.timer(grace_ms, resolve);
  return promise;
}

/** Takes the lock of a file; exit 6 if another process has it. */
export function lockFile(path: string, name: string): FileLock {
  return takeLock(path, {
    busy: (holder) => busy(holder, name),
    unusable: (cause) => unwritable(path, cause),
  });
}

function busy(id: number | null, name: string): Failure {
  const who = id === null ? 'another process' : `process ${id}`;
  return new Failure(6, 'import_running', `${name} is being imported by ${who}.`, {
    hint: 'Wait until that has ended: nothing was sent by this one.',
  });
}

/** Explains a damaged journal with the next step: the service may know what the journal lost. */
async function readable<T>(source: Source, read: () => Promise<T>): Promise<T> {
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

function nothingToResume(source: Source, { journal }: Places): UsageError {
  return new UsageError(`There is no import of ${source.name} to resume: there is no ${journal}.`, {
    next: [{ ...importLine(source), when: 'begin one' }],
  });
}

/** Explains why an unfinished import is not started again. */
function unfinished(source: Source, state: JournalState): Failure {
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
async function checkSame(header: Header, { source, settings, simulation, place }: Again): Promise<void> {
  const { profile, service, mode } = header.place;
  if (JSON.stringify(place) !== JSON.stringify(header.place))
    throw other(
      `It was started in ${mode} mode with the profile ${profile} at ${service}, in another account than this.`,
    );
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
function setAside(journal: string): () => void {
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
function removeOldFaults({ journal, failed }: Places): void {
  if (!existsSync(journal)) removeFile(failed);
}

/** The options of the wait for an import's batches. */
interface ImportWait {
  fail_on: BatchTarget['fail_on'];
  /** By default, as long as the attempts can take. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** The command that resumes the wait. */
  again: Invocation;
  /** The result with the counts so far. */
  answer(counts: BatchCounts): Result;
}

/**
 * Waits until every batch of an import is complete and returns the outcomes. Exit 9 as soon as an order ends with a
 * `fail_on` status, 8 after the timeout; the service continues in any case.
 */
async function waitForBatches(
  context: Context,
  ids: readonly [string, ...string[]],
  { fail_on, timeout_ms, interval_ms, again, answer }: ImportWait,
): Promise<BatchCounts> {
  const { settings } = await getBatch(context, ids[0]);
  const poll = createBatchesPoll(context, ids);
  const first = await poll();
  const waitable: Awaitable<Seen> = {
    ...{ first, poll, test_mode: first[0]?.test_mode ?? true },
    events: { ...batchEvents, isAbout: isAnyOf(ids) },
    isUnchanged: (before, seen) => JSON.stringify(before) === JSON.stringify(seen),
    reached: (seen) => seen.every(({ status }) => status === 'complete'),
    failed: (seen, details) => {
      const [lost] = seen.flatMap((batch) => lostIn(batch, fail_on, details) ?? []);
      return lost ?? null;
    },
    interruptionText: (seen) =>
      phrase`Auto dispatch continues: ${countsText(totalOf(seen))}. Resume waiting: ${again}`,
    status: (seen) => countsText(totalOf(seen)),
    progress: (seen) => countsText(totalOf(seen)),
    answer: (seen) => answer(totalOf(seen).counts),
  };
  const last = await waitFor(context, waitable, {
    ...{ timeout_ms: timeout_ms ?? batchTimeout(settings), interval_ms, again: () => [again] },
  });
  return totalOf(last).counts;
}

type Seen = readonly BatchSummary[];

/** Polls the processing batches in one list, and gets each of the others once it is complete. */
function createBatchesPoll(context: Context, ids: readonly string[]): () => Promise<Seen> {
  const complete = new Map<string, BatchSummary>();
  return async () => {
    const client = await context.client();
    const query = { status: 'processing', limit: 100 } as const;
    const open = new Map<string, BatchSummary>();
    for await (const batch of records(client.batches.list, query)) open.set(batch.batch_id, batch);
    const seen: BatchSummary[] = [];
    for (const id of ids) seen.push(complete.get(id) ?? open.get(id) ?? (await settled(id)));
    return seen;
  };
  async function settled(id: string): Promise<BatchSummary> {
    const { orders: _, ...batch } = await getBatch(context, id);
    if (batch.status === 'complete') complete.set(id, batch);
    return batch;
  }
}

function isAnyOf(ids: readonly string[]): (data: Readonly<Record<string, unknown>>) => boolean {
  const known = new Set<unknown>(ids);
  return ({ batch_id }) => known.has(batch_id);
}

function lostIn(
  batch: BatchSummary,
  fail_on: BatchTarget['fail_on'],
  details: FailureDetails,
): BadOutcome | null {
  const lost = fail_on.find((name) => batch.counts[name] > 0);
  if (lost === undefined) return null;
  return new BadOutcome(
    `In ${batch.batch_id} there is an order that is ${lost}: ${partsText(batch.counts)}.`,
    {
      code: `order_${lost}`,
      hint: 'The other orders go on.',
      next: [{ ...invocation('batches get', [batch.batch_id]), when: 'see the outcome of each order' }],
      ...details,
    },
  );
}

function totalOf(seen: Seen): { order_count: number; counts: BatchCounts } {
  const counts = { pending: 0, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 };
  for (const batch of seen) for (const name of outcomes) counts[name] += batch.counts[name];
  return { order_count: Object.values(counts).reduce((sum, count) => sum + count, 0), counts };
}
