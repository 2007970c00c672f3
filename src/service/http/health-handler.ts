/** Handlers of the probes, which say whether the service lives and is ready, and of its OpenAPI description. */
import type { getDescription, getHealth, getLiveness } from '../../contract/service.ts';
import { minute_ms } from '../../domain/durations.ts';
import { StorageUnavailable, schemaVersion } from '../../storage/storage.ts';
import type { Silence } from '../runtime/background-state.ts';
import { skewText } from '../runtime/base-clock.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { atMost, instant } from '../runtime/time.ts';
import { max_lock_ms } from '../runtime/write-check.ts';
import { RetryLater, unavailableTexts } from './answers.ts';
import type { Handler } from './handler.ts';

/** Health checks need a fast response, also if the storage hangs. */
const answer_timeout_ms = 3_000;
/** Longer than a failed poll of a loop and the one after it. */
const max_silence_ms = minute_ms;
/** Retries, expiries and events are then off by a minute. */
const max_skew_ms = minute_ms;
const retry_after_seconds = 2;

/** Checks nothing but that the process answers: a restart does not repair a database. */
export const live: Handler<typeof getLiveness> = async ({ now }) => ({
  status: 'ok',
  service_time: instant(now),
});

/**
 * Checks that the storage responds, is migrated and can be written, that service time is right, and that the background
 * work of this process makes progress.
 */
export const health: Handler<typeof getHealth> = async ({ service, now }) => {
  if (service.streams.hasEnded()) throw notReady('The service is shutting down.');
  const { storage } = service;
  await storage.check().catch(notUsable);
  const version = await answeredSoon(service, storage.version());
  if (version < schemaVersion)
    throw notReady(`The schema of the database has version ${version}: this service needs ${schemaVersion}.`);
  if (await answeredSoon(service, storage.isReadOnly())) throw notReady(unavailableTexts.read_only);
  await answeredSoon(service, service.requireWritable()).catch(notUsable);
  if (storage.statistics().lock_wait_ms > max_lock_ms) throw notReady(unavailableTexts.locked);
  const skew_ms = service.skew_ms();
  if (Math.abs(skew_ms) > max_skew_ms)
    throw notReady(`The clock is wrong: ${skewText(service.storage, skew_ms)}.`);
  const silence = longest(service.inMode(0).heartbeat.silence(), service.inMode(1).heartbeat.silence());
  if (silence !== null && silence.silent_ms > max_silence_ms) {
    const seconds = Math.round(silence.silent_ms / 1_000);
    throw notReady(`The ${silence.loop} loop has made no progress for ${seconds} s.`);
  }
  const cleaning = service.cleaningWarning();
  return {
    status: 'ok',
    service_time: instant(now),
    schema_version: version,
    worker_silent_ms: silence === null ? null : Math.round(silence.silent_ms),
    warnings: cleaning === null ? [] : [{ code: 'cleaning_postponed', message: cleaning }],
  };
};

function notReady(message: string): RetryLater {
  return new RetryLater('not_ready', message, retry_after_seconds);
}

/** Says why the database cannot be used, if that is known. */
function notUsable(fault: unknown): never {
  const reason = fault instanceof StorageUnavailable ? fault.reason : 'unreachable';
  const isKnown = reason !== 'unreachable' && reason !== 'conflicts';
  throw notReady(isKnown ? unavailableTexts[reason] : 'The service cannot write to its database.');
}

function longest(one: Silence | null, other: Silence | null): Silence | null {
  return (one?.silent_ms ?? -1) >= (other?.silent_ms ?? -1) ? one : other;
}

async function answeredSoon<T>({ timers }: Pick<ServiceContext, 'timers'>, answer: Promise<T>): Promise<T> {
  return atMost(timers, answer_timeout_ms, answer, () => {
    throw new StorageUnavailable('the database did not respond in time');
  });
}

export const describe: Handler<typeof getDescription> = async ({ service }) => {
  const { describeInterface } = await import('../../contract/openapi.ts');
  return describeInterface(isWildcard(service.publicUrl) ? '/' : service.publicUrl);
};

/** Whether the service listens on all addresses. The server is then given relative to the document. */
function isWildcard(url: string): boolean {
  return ['0.0.0.0', '[::]'].includes(URL.parse(url)?.hostname ?? '');
}
