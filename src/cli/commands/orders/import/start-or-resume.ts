/** Starts an import, after its file was checked, or resumes the one that its journal describes. */
import { existsSync } from 'node:fs';
import type { Client } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/errors.ts';
import type { OrderSettings } from '../../../../contract/orders.ts';
import { isFields } from '../../../../domain/fields.ts';
import { DryRun, Failure, UsageError } from '../../../kit/errors/failure.ts';
import { invocation, type NextStep, phrase, type Text, timePart } from '../../../kit/result/message.ts';
import { documentResult, type Result } from '../../../kit/result/result.ts';
import type { BatchesWait } from '../../../nouns/batch-waiting.ts';
import { findStoreId } from '../../../nouns/find-by-name.ts';
import type { Context } from '../../../session/command.ts';
import {
  confirmAutoDispatch,
  flagsOfSettings,
  flagText,
  noteDifferentTips,
  settingsToSend,
  tipIn,
} from '../auto-dispatch.ts';
import {
  accountNotes,
  type CheckedFile,
  checkFile,
  gazetteerOf,
  noteIgnored,
  validateFile,
} from './check-file.ts';
import { createOrderCheck, type OrderCheck } from './check-order.ts';
import { finishImport } from './finish-import.ts';
import {
  type Imported,
  importResult,
  noneThere,
  orderIdsIn,
  readOrdersThere,
  shipSteps,
  waitForDispatches,
} from './import-result.ts';
import {
  countSettledRows,
  createJournal,
  DamagedJournal,
  type Header,
  type Journal,
  type JournalState,
  journal_version,
  openJournal,
  readJournal,
} from './journal.ts';
import { countText, formatNumber } from './progress.ts';
import { createdAgainRecord, createdAgainTexts, createReferenceLookup } from './references-in-use.ts';
import { repeatedLines } from './repeated-orders.ts';
import { lockFile, moveFile, removeFile } from './result-files.ts';
import { bodyOf, chunkLimits, chunksIn, headersOf } from './send-chunks.ts';
import { createTally, importLine, type Layout, type Source, tallyOf } from './source.ts';

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

export async function importOrders(context: Context, request: ImportRequest): Promise<Result> {
  const { source, skipInvalid, allowDuplicateRef, recreateCanceled: recreatesCanceled } = request;
  if (request.validateOnly)
    return validateFile(context, source, {
      hasUniqueRefs: !allowDuplicateRef,
      skipInvalid,
      recreatesCanceled,
    });
  // Connects before the file is checked: its times are compared with the service's.
  const client = await context.client();
  checkRepeatable(context);
  const account = await client.account.get();
  const destination = destinationOf(context, account.data);
  const now = account.service_time ?? context.now();
  const gazetteer = await gazetteerOf(context);
  const check = createOrderCheck({ now, tip_limit: account.data.tip_limit, gazetteer });
  const run = () => startOrResume(context, { ...request, destination, check });
  // A dry run changes nothing on this machine either.
  const imported = await (context.globals.dryRun ? run() : runLocked(context, source, run));
  return importResult(context, await waitForDispatches(context, imported, request.wait));
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

type Destination = Header['place'];

function destinationOf(
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

/** Runs the import under its lock; an interruption waits for it, but not for long. */
async function runLocked<T>(context: Context, { name, files }: Source, work: () => Promise<T>): Promise<T> {
  const lock = lockFile(files.lock, name);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  context.onStop(() => Promise.race([ended, waitBriefly(context)]));
  try {
    return await work();
  } finally {
    lock.release();
    resolve();
  }
}

const grace_ms = 5_000;

function waitBriefly({ host }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.timer(grace_ms, resolve);
  return promise;
}

interface ImportRun extends ImportRequest {
  destination: Destination;
  check: OrderCheck;
}

/** Reads the journal and starts or resumes the import; the lock admits one process at a time. */
async function startOrResume(context: Context, run: ImportRun): Promise<Imported> {
  const isResumed = run.resume || (await wasStartedWithSameKey(context, run));
  return isResumed ? resumeImport(context, run) : startImport(context, run);
}

/** True if the same command was run before, so that it is resumed. */
async function wasStartedWithSameKey(
  { globals }: Context,
  { source, restart }: ImportRequest,
): Promise<boolean> {
  const { idempotencyKey, dryRun } = globals;
  if (idempotencyKey === undefined || restart || dryRun) return false;
  const journal = await explainDamage(() => readJournal(source.files.journal));
  return journal?.state.header.id === idempotencyKey;
}

/** Explains a damaged journal with the next step: the service may know what the journal lost. */
async function explainDamage<T>(read: () => Promise<T>): Promise<T> {
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

const againText =
  'Orders whose references are in use are left out; those without a reference are made again.';

async function startImport(context: Context, run: ImportRun): Promise<Imported> {
  const { source, concurrency } = run;
  checkWait(run, run.settings);
  await checkNotStarted(context, run);
  const { check, allowDuplicateRef, skipInvalid, recreateCanceled } = run;
  const hasUniqueRefs = !allowDuplicateRef;
  const references = createReferenceLookup();
  const onRow = references.add;
  const valid = await checkFile(context, source, { check, onRow, hasUniqueRefs, skipInvalid });
  noteIgnored(context, valid);
  const found = hasUniqueRefs ? await references.find(context, recreateCanceled) : null;
  const canceled = (found?.canceled ?? []).map(({ line, error }) => ({ line, error }));
  const checked = { ...valid, invalid: [...valid.invalid, ...canceled] };
  for (const text of createdAgainTexts(found)) context.warn(text);
  await checkStores(await context.client(), checked);
  const header = headerOf(context, run, checked);
  await checkTips(context, source, header);
  await confirmImport(context, header);
  if (context.globals.dryRun) return showFirstRequest(context, source, header);
  const putBack = setJournalAside(source.files.journal);
  const journal = await createJournal(source.files.journal, header);
  const undo = () => {
    journal.close();
    putBack();
  };
  try {
    const imported = await finishImport(context, { journal, source, concurrency, undo });
    const read = checked.account.record();
    const again = createdAgainRecord(found);
    const summary = { ...imported.summary, repeated: repeatedLines(checked.repeated), ...again, read };
    return { ...imported, summary, notes: [...imported.notes, ...accountNotes(checked.account)] };
  } finally {
    journal.close();
  }
}

/**
 * Renames the journal of an abandoned import, which records what was created. Returns a function that restores it, in
 * case the new import never starts.
 */
function setJournalAside(journal: string): () => void {
  const old = `${journal}.old`;
  const isThere = existsSync(journal);
  if (isThere) moveFile(journal, old);
  return () => {
    removeFile(journal);
    if (isThere) moveFile(old, journal);
  };
}

/** Throws UsageError if there is nothing to wait for. */
function checkWait({ wait }: ImportRequest, settings: OrderSettings | null): void {
  if (wait === null || settings !== null) return;
  throw new UsageError('--wait applies to auto dispatch: add --auto, or remove --wait.');
}

/** Refuses to start an unfinished import again by accident; with --restart the journal is not even read. */
async function checkNotStarted(context: Context, run: ImportRun): Promise<void> {
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

type ReadJournal = Pick<Journal, 'state' | 'read'>;

/** Goes on with a started import. One for manual dispatch stays that: its orders are sent as they are. */
async function stepsAfter(
  context: Context,
  { source, settings }: ImportRun,
  journal: ReadJournal,
): Promise<NextStep[]> {
  const { header, isFinished } = journal.state;
  const when = isFinished ? 'see the result again' : 'go on, nothing is made twice';
  if (settings === null || header.settings !== null)
    return [{ ...importLine(source, { resume: true }), when }];
  const there = isFinished ? await readOrdersThere(context, orderIdsIn(journal, 'all')) : noneThere;
  const steps = shipSteps(there.undispatched, settings);
  if (steps.length > 0) return steps;
  const ofAuto = ['wait', 'failOn', 'timeout', 'interval', ...Object.keys(flagsOfSettings(settings))];
  const typed = Object.entries(source.typed).filter(([name]) => !ofAuto.includes(name));
  const manual = { name: source.name, typed: Object.fromEntries(typed) };
  return [{ ...importLine(manual, { resume: true }), when }];
}

function outcomeOf(state: JournalState): string {
  const { made, failed, there } = countSettledRows(state);
  const text = `${countText(made, 'order')} ${made === 1 ? 'was' : 'were'} made${there === 0 ? '' : `, ${formatNumber(there)} were there already`}`;
  return failed === 0 ? text : `${text}, ${formatNumber(failed)} failed`;
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

function headerOf(context: Context, run: ImportRun, { sha256, rows, columns, invalid }: CheckedFile): Header {
  const { format, layout } = run.source;
  return {
    type: 'import',
    version: journal_version,
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
      only: layout.only.map((pair) => [...pair]),
      statuses: [...layout.statuses],
      set: layout.set.map((pair) => [...pair]),
      date_attributes: [...layout.dateAttributes],
      one_order_per_row: layout.isOrderPerRow,
    },
    place: run.destination,
    settings: run.settings,
    simulation: run.simulation,
    unique_ref: !run.allowDuplicateRef,
    invalid: [...invalid],
    limits: chunkLimits,
    at: context.now(),
  };
}

/**
 * Says what will be imported; the first request reports the destination. Auto dispatch in live mode needs confirmation.
 */
async function confirmImport(context: Context, { file, settings, invalid = [] }: Header): Promise<void> {
  const count = file.rows - invalid.length;
  const what = count === 1 ? 'One order' : `${formatNumber(count)} orders`;
  const how = settings === null ? 'for manual dispatch' : 'for auto dispatch';
  if (!context.output.json) context.note(`${what}, ${how}.`);
  if (settings !== null) await confirmAutoDispatch(context, count, settings.max_cost);
}

/** Refuses tips above the maximum before anything is sent. */
async function checkTips(context: Context, source: Source, header: Header): Promise<void> {
  if (header.settings?.max_cost === undefined) return;
  const tips = new Set<number>();
  for await (const { rows } of chunksIn(source, header, createTally()))
    for (const { order } of rows) tips.add(tipIn(order));
  settingsToSend(
    header.settings,
    [...tips].map((tip) => ({ tip })),
  );
  noteDifferentTips(context, tips);
}

/** Shows the first request that would be sent, and how many there would be, and ends the command; nothing is sent. */
async function showFirstRequest(context: Context, source: Source, header: Header): Promise<never> {
  const client = await context.client();
  const { settings, file } = header;
  const requests = await chunkCount(source, header);
  if (!context.output.json)
    context.note(`The first of ${countText(requests, 'request')}, for ${countText(file.rows, 'row')}:`);
  for await (const { rows } of chunksIn(source, header, createTally())) {
    if (rows.length === 0) continue;
    const body = bodyOf(header, rows);
    const headers = headersOf(header);
    const sent =
      settings === null
        ? client.orders.createMany({ body, headers })
        : client.orders.create({
            body: { ...body, settings: settingsToSend(settings, body.orders) },
            headers,
          });
    await sent.catch((error: unknown) => {
      throw withCounts(error, { request_count: requests, row_count: file.rows });
    });
  }
  throw new Error('a dry run sent something');
}

async function chunkCount(source: Source, header: Header): Promise<number> {
  let count = 0;
  for await (const { rows } of chunksIn(source, header, createTally())) count += rows.length > 0 ? 1 : 0;
  return count;
}

/** Adds the counts to the request, for programs, which read no notes. */
function withCounts(error: unknown, counts: Record<string, number>): unknown {
  if (!(error instanceof DryRun) || error.answer.kind !== 'document' || !isFields(error.answer.data))
    return error;
  return new DryRun(documentResult({ ...error.answer.data, ...counts }));
}

async function resumeImport(context: Context, run: ImportRun): Promise<Imported> {
  const { source, concurrency } = run;
  const journal = await explainDamage(() => openJournal(source.files.journal));
  if (journal === null) return startImport(context, run);
  const { header, isFinished } = journal.state;
  // Another file that has been stored under this name since is another import.
  if (isFinished && header.file.sha256 !== (await tallyOf(source)).sha256()) {
    journal.close();
    return startImport(context, run);
  }
  try {
    if (!isFinished && header.version !== journal_version)
      throw cannotResume('It was started by an earlier version of waybill.');
    if (run.settings !== null && header.settings === null)
      throw cannotResume(startedText(null), await stepsAfter(context, run, journal));
    await checkSameImport(header, run);
    if (run.allowDuplicateRef && header.unique_ref === true)
      throw cannotResume('It was started without --allow-duplicate-ref.');
    checkWait(run, header.settings);
    if (!isFinished) await confirmImport(context, header);
    return await finishImport(context, {
      journal,
      source: sourceAsStarted(header, source),
      concurrency,
      undo: null,
    });
  } finally {
    journal.close();
  }
}

/**
 * Refuses to resume an import with another destination, other settings or a changed file, which would create sent
 * orders again. Throws Failure.
 */
async function checkSameImport(
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
function startedText(settings: OrderSettings | null): string {
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

function cannotResume(why: Text, next: NextStep[] = []): Failure {
  return new Failure(6, 'import_differs', 'The import cannot go on.', {
    why,
    hint: `Resume it with the original file and options, or start over with --restart. ${againText}`,
    next,
  });
}

/** The file is read with the options that the import was started with. */
function sourceAsStarted({ file }: Header, source: Source): Source {
  const { format, preset, map, store, only = [], statuses = [], one_order_per_row = true } = file;
  const { set = [], date_attributes: dateAttributes = [] } = file;
  const pairsOf = (pairs: readonly (readonly string[])[]) =>
    pairs.map(([header = '', text = '']) => [header, text] as const);
  const layout = { map: pairsOf(map), only: pairsOf(only), statuses, isOrderPerRow: one_order_per_row };
  return { ...source, format, layout: { ...layout, set: pairsOf(set), dateAttributes, preset, store } };
}
