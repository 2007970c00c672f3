import type { Gazetteer } from '../../../../domain/locate-address.ts';
import { Failure } from '../../../kit/errors/failure.ts';
import { invocation, phrase } from '../../../kit/result/message.ts';
import type { Result } from '../../../kit/result/result.ts';
import type { Context } from '../../../session/command.ts';
import { checkFile, noteIgnored } from './check-file.ts';
import { createOrderCheck } from './check-order.ts';
import { lockFile, removeOldFaults } from './files.ts';
import {
  type Imported,
  importResult,
  type Summary,
  summaryShown,
  validationResult,
} from './import-result.ts';
import { createPlaceWarnings } from './place-warnings.ts';
import { importLine, type Source } from './source.ts';
import { destinationOf, type ImportRequest, startedOrResumed } from './start-or-resume.ts';
import { waitForBatches } from './wait-for-batches.ts';

/** Imports a file of orders or resumes an import. */
export async function importOrders(context: Context, request: ImportRequest): Promise<Result> {
  if (request.validateOnly) return validate(context, request.source);
  // Connects before the file is checked: its times are compared with the service's.
  const client = await context.client();
  checkRepeatable(context);
  const account = await client.account.get();
  const destination = destinationOf(context, account.data);
  const now = account.service_time ?? context.now();
  const check = createOrderCheck({ now, tip_limit: account.data.tip_limit });
  const run = () => startedOrResumed(context, { ...request, destination, check });
  // A dry run changes nothing on this machine either.
  const imported = await (context.globals.dryRun ? run() : locked(context, request.source, run));
  return importResult(context, await waitForDispatches(context, imported, request));
}

/** Checks the file without sending anything. */
async function validate(context: Context, source: Source): Promise<Result> {
  const check = createOrderCheck({ now: null, gazetteer: await gazetteerOf(context) });
  const addresses = createPlaceWarnings(context);
  const checked = await checkFile(context, source, check, addresses.onOrder);
  noteIgnored(context, checked);
  removeOldFaults(source.files);
  await addresses.warn();
  return validationResult(source, checked);
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

/** Runs the import under its lock; an interruption waits for it, but not for long. */
async function locked<T>(context: Context, { name, files }: Source, work: () => Promise<T>): Promise<T> {
  const lock = lockFile(files.lock, name);
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
