/** Starts an import, after its file was checked, or resumes the one that its journal describes. */
import { existsSync } from 'node:fs';
import type { Client } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/errors.ts';
import type { OrderSettings } from '../../../../contract/orders.ts';
import { Failure, UsageError } from '../../../kit/errors/failure.ts';
import { invocation, phrase } from '../../../kit/result/message.ts';
import type { Result } from '../../../kit/result/result.ts';
import { findStoreId } from '../../../nouns/find-by-name.ts';
import type { Context } from '../../../session/command.ts';
import { confirmAutoDispatch, noteDifferentTips, settingsToSend, tipIn } from '../auto-dispatch.ts';
import {
  accountNotes,
  type CheckedFile,
  checkFile,
  gazetteerOf,
  noteIgnored,
  validateFile,
} from './check-file.ts';
import { createOrderCheck } from './check-order.ts';
import { finishImport, madeBefore } from './finish-import.ts';
import { showFirstRequest } from './first-request.ts';
import { type Imported, importedOf, importResult, waitForDispatches } from './import-result.ts';
import {
  createJournal,
  type Header,
  journal_version,
  newState,
  openJournal,
  readJournal,
} from './journal.ts';
import { formatNumber } from './progress.ts';
import { createdAgainRecord, createdAgainTexts, createReferenceLookup } from './references-in-use.ts';
import { repeatedLines } from './repeated-orders.ts';
import { lockFile, moveFile, removeFile } from './result-files.ts';
import { chunkLimits, chunksIn } from './send-chunks.ts';
import { createTally, type Source, tallyOf } from './source.ts';
import {
  cannotResume,
  checkNotStarted,
  checkSameImport,
  type Destination,
  explainDamage,
  type ImportRequest,
  type ImportRun,
  type ReadJournal,
  sourceAsStarted,
  startedText,
  stepsAfter,
  wasStartedWithSameKey,
} from './started-import.ts';

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

/** Reads the journal and starts or resumes the import; the lock admits one process at a time. */
async function startOrResume(context: Context, run: ImportRun): Promise<Imported> {
  const isResumed = run.resume || (await wasStartedWithSameKey(context, run));
  return isResumed ? resumeImport(context, run) : startImport(context, run);
}

async function startImport(context: Context, run: ImportRun): Promise<Imported> {
  const { source, concurrency } = run;
  checkWait(run, run.settings);
  await checkNotStarted(context, run);
  const { check, allowDuplicateRef, skipInvalid, recreateCanceled } = run;
  const hasUniqueRefs = !allowDuplicateRef;
  const references = createReferenceLookup();
  const onRow = references.add;
  const failed = context.globals.dryRun ? null : source.files.failed;
  const valid = await checkFile(context, source, { check, onRow, failed, hasUniqueRefs, skipInvalid });
  noteIgnored(context, valid);
  const found = hasUniqueRefs ? await references.find(context, recreateCanceled) : null;
  const canceled = (found?.canceled ?? []).map(({ line, number, error }) => ({ line, number, error }));
  const checked = { ...valid, invalid: [...valid.invalid, ...canceled] };
  for (const text of createdAgainTexts(found, context.output.json)) context.warn(text);
  await checkStores(await context.client(), checked);
  const header = headerOf(context, run, checked);
  await checkTips(context, source, header);
  await confirmImport(context, header);
  if (context.globals.dryRun) return dryRunOf(context, source, { state: newState(header), read: noOutcome });
  const putBack = setJournalAside(source.files.journal);
  const journal = await createJournal(source.files.journal, header).catch((error: unknown) => {
    putBack();
    throw error;
  });
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

/** Shows what would be sent, or what the result is if nothing would. */
async function dryRunOf(context: Context, source: Source, journal: ReadJournal): Promise<Imported> {
  await showFirstRequest(context, source, journal.state);
  return madeBefore(importedOf(journal, source));
}

function noOutcome(): never {
  throw new Error('an import that was not started has an outcome');
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

async function resumeImport(context: Context, run: ImportRun): Promise<Imported> {
  const { source, concurrency } = run;
  const { journal: path } = source.files;
  const { dryRun } = context.globals;
  const journal = await explainDamage(async () =>
    dryRun ? await readJournal(path) : await openJournal(path),
  );
  if (journal === null) return startImport(context, run);
  const close = () => ('close' in journal ? journal.close() : undefined);
  const { header, isFinished } = journal.state;
  // Another file that has been stored under this name since is another import.
  if (isFinished && header.file.sha256 !== (await tallyOf(source)).sha256()) {
    close();
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
    const asStarted = sourceAsStarted(header, source);
    if (!('append' in journal)) return await dryRunOf(context, asStarted, journal);
    return await finishImport(context, { journal, source: asStarted, concurrency, undo: null });
  } finally {
    close();
  }
}
