import type { Client } from '../../../client/client.ts';
import type { ServiceFeatures } from '../../../client/detect-features.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Feature } from '../../../client/features.ts';
import type { Account } from '../../../contract/accounts.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { timePhrase, timesFor } from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { lacking } from '../login/identity-columns.ts';
import { apartText } from '../sandbox/clock-columns.ts';
import { checkCouriers } from './check-couriers.ts';
import { checkFailedTasks } from './check-failed-tasks.ts';
import { checkStorage } from './check-storage.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { type Finding, ok, runCheck, warn } from './finding.ts';
import { otherKey } from './remediation.ts';

const max_drift_ms = 5 * 60_000;
const readOnly = { reads: true, opensUnchanged: true } as const;

/** Checks the storage and the service in use: its response, account, clock and missing features. */
export async function checkService(context: Context): Promise<Finding[]> {
  const { target } = context.settings;
  if (target.kind === 'http') return checkResponses(context);
  let isCurrent = false;
  let isThere = true;
  const storage = await runCheck('storage', context, async () => {
    const state = await checkStorage(target.file);
    isCurrent = state.isCurrent;
    isThere = state.isThere;
    return state.finding;
  });
  if (storage.status === 'fail') return [storage];
  if (!isCurrent) {
    const service = ok('service', 'embedded; it begins with the first command that uses it');
    return [storage, service, ...(isThere ? [] : unknownKeyWarning(context))];
  }
  return [storage, ...(await checkResponses(context))];
}

/** Warns that a new database does not know a key that was given. */
function unknownKeyWarning(context: Context): Finding[] {
  const { keyOrigin } = context.settings;
  if (keyOrigin !== 'flag' && keyOrigin !== 'environment') return [];
  return [warn('key', 'it is for another service: this one creates its own key', otherKey(context))];
}

async function checkResponses(context: Context): Promise<Finding[]> {
  const service = await runCheck('service', context, () => checkHealth(context));
  if (service.status === 'fail') return [service];
  let account: Account | null = null;
  let detected: ServiceFeatures | null = null;
  const key = await runCheck('key', context, async () => {
    if (context.settings.target.kind === 'http') {
      detected = await (await context.client(readOnly)).learn();
      account = detected.account;
      if (account === null) return modeFinding(detected, context);
    } else account = await accountOf(context);
    return keyFinding(account, context);
  });
  const parts = featuresFinding(detected);
  if (account === null) return [service, key, ...parts];
  const { sandbox, test_mode }: Account = account;
  const isSandbox = sandbox && test_mode && hasFeature(detected, 'sandbox');
  const clock = await runCheck('clock', context, () => checkClock(context, isSandbox));
  const webhooks = hasFeature(detected, 'webhooks') ? await checkWebhooks(context) : [];
  const couriers = hasFeature(detected, 'couriers') ? await checkCouriers(context) : [];
  const failed = await runCheck('background work', context, () => checkFailedTasks(context));
  return [service, key, ...parts, clock, ...webhooks, ...couriers, failed];
}

async function checkHealth(context: Context): Promise<Finding> {
  const { name, target } = context.settings;
  const client = await context.client(readOnly);
  const started_at = context.now();
  const status = await healthOf(client);
  const place = target.kind === 'http' ? target.baseUrl : 'embedded';
  const words = `${name === place ? place : `${name}: ${place}`}, ${status}, after ${context.now() - started_at} ms`;
  return ok('service', words);
}

/** A service without a health endpoint is healthy if it responds. */
async function healthOf(client: Client): Promise<string> {
  try {
    return (await client.service.health()).data.status;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status > 499) throw error;
    await checkDeliveries(client);
    return 'answers';
  }
}

/**
 * Checks that the server lists deliveries, which other kinds of server do not. A refused key is reported by another
 * check.
 */
async function checkDeliveries(client: Client): Promise<void> {
  try {
    await client.deliveries.list({ query: { limit: 1 } });
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return;
    if (!(error instanceof ApiError)) throw error;
    const message = `The server does not list deliveries (status ${error.status}): ${error.message}`;
    throw new Failure(7, 'unexpected_answer', message, { cause: error });
  }
}

/** Null if there is no key yet: the next command creates one. */
async function accountOf(context: Context): Promise<Account | null> {
  const { target, keyOrigin, apiKey } = context.settings;
  const isGenerated = target.kind === 'embedded' && (keyOrigin === 'profile' || keyOrigin === 'default');
  if (isGenerated && apiKey === null) return null;
  try {
    const client = await context.client(readOnly);
    return (await client.account.get()).data;
  } catch (error) {
    if (isGenerated && error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

function keyFinding(account: Account | null, { settings }: Context): Finding {
  if (account !== null)
    return ok('key', `${account.test_mode ? 'test' : 'live'} mode, may ${account.permission}`);
  const found = settings.apiKey === null ? 'none yet' : 'not known to this database';
  return warn('key', found, { remedy: 'The next command makes one.' });
}

function modeFinding({ mode }: ServiceFeatures, { settings }: Context): Finding {
  const known = mode ?? settings.mode;
  if (known !== null) return ok('key', `${known} mode`);
  const remedy = phrase`Store it with ${invocation('login', [], { mode: 'test' })}, or --mode live.`;
  return warn('key', 'accepted; the service does not say its mode', { remedy });
}

function hasFeature(learned: ServiceFeatures | null, feature: Feature): boolean {
  return learned?.features[feature] !== false;
}

/** A missing feature is not a fault of the service, but explains why some commands are refused. */
function featuresFinding(learned: ServiceFeatures | null): Finding[] {
  const lacks = lacking(learned?.features);
  return lacks.length === 0 ? [] : [ok('features', `not available: ${lacks.join(', ')}`)];
}

/**
 * Compares the clocks, as ages are counted from the service's clock; a sandbox clock may have been moved on purpose.
 */
async function checkClock(context: Context, isSandbox: boolean): Promise<Finding> {
  const client = await context.client(readOnly);
  const clock = isSandbox ? (await client.clock.get()).data : null;
  const drift_ms = context.serviceNow() - context.now();
  const apart = apartText(drift_ms);
  const isClose = Math.abs(drift_ms) <= max_drift_ms;
  if (clock !== null && clock.mode !== 'real') {
    const times = timesFor(context.output);
    const now = timePhrase(clock.now, { now: context.now(), times });
    const pace = clock.mode === 'manual' ? 'it is stopped' : `${clock.rate} times as fast,`;
    if (times === 'relative') return ok('clock', `sandbox, ${clock.mode}: ${pace} ${apart}`);
    return ok('clock', `sandbox, ${clock.mode}: ${pace} ${now}${isClose ? '' : `, ${apart}`}`);
  }
  if (isClose)
    return ok('clock', `${clock === null ? '' : 'sandbox, real: '}this machine and the service agree`);
  if (context.settings.target.kind === 'embedded') return ok('clock', `sandbox, real: moved, ${apart}`);
  const remedy = `Set the clock of this machine${clock === null ? '.' : '; that of a sandbox may be ahead on purpose.'}`;
  return warn('clock', `the service is ${apart}`, { remedy });
}
