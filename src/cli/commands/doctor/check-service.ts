/** The checks of `doctor` that ask the service: its key, clock, places and background work. */
import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import { allRecords } from '../../../client/pages.ts';
import type { Feature, ServiceFeatures } from '../../../client/service-features.ts';
import type { Account } from '../../../contract/accounts.ts';
import type { FailedTask } from '../../../contract/service.ts';
import { minute_ms } from '../../../domain/durations.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { lengthText, timePhrase, timesFor } from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { missingFeatures } from '../../session/identity.ts';
import { shopZone } from '../../session/service-times.ts';
import { checkCouriers } from './check-couriers.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { type Finding, ok, readOnly, runCheck, warn } from './finding.ts';

/** The clocks agree if they are closer than this. */
const max_drift_ms = 5 * minute_ms;

/** Checks the service in use by asking it: its account, clock, settings, webhooks, couriers and background work. */
export async function checkService(context: Context): Promise<Finding[]> {
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
  return [
    service,
    key,
    ...parts,
    clock,
    ...(await placesFinding(context, account)),
    ...routerFinding(account),
    ...mapFinding(account),
    ...webhooks,
    ...couriers,
    failed,
  ];
}

/** Says how the service finds addresses; nothing of another service, which does not say it. */
async function placesFinding(context: Context, account: Account): Promise<Finding[]> {
  const { geocoder } = account;
  if (!Object.hasOwn(account, 'geocoder')) return [];
  if (geocoder !== null) return [await runCheck('places', context, () => geocoderFinding(context, geocoder))];
  const remedy = phrase`Set one with \`--geocoder\` of \`${invocation('serve')}\`, or WAYBILL_GEOCODER: \`${invocation('help', ['places'])}\`.`;
  return [ok('places', 'no geocoder is set: addresses are known by their ZIP codes', { remedy })];
}

/** Asks the geocoder about an address of a long street, another one each minute: answers are kept for a year. */
async function geocoderFinding(context: Context, geocoder: string): Promise<Finding> {
  const client = await context.client();
  const number = 1 + (Math.floor(context.now() / minute_ms) % 1_440);
  const addresses = [`${number} Broadway, New York, NY 10004`];
  const { data } = await client.places.find({ body: { addresses } });
  const hasAnswered = data.data.every(({ problem }) => problem !== 'not_asked');
  if (hasAnswered) return ok('places', `addresses are found by a geocoder (${geocoder})`);
  const remedy = 'Check the address of `--geocoder`, and the log of the service.';
  return warn(
    'places',
    `the geocoder (${geocoder}) does not answer: addresses are known by their ZIP codes`,
    {
      remedy,
    },
  );
}

/** Says where driving times come from; nothing of another service, which does not say it. */
function routerFinding(account: Account): Finding[] {
  const { router } = account;
  if (!Object.hasOwn(account, 'router')) return [];
  if (router === 'answering') return [ok('driving times', 'from a router')];
  if (router === null) return [ok('driving times', 'no router is set: estimated by straight lines')];
  const remedy = 'Check the address of `--router`, and the log of the service.';
  return [
    warn('driving times', 'the router does not answer: they are estimated by straight lines', { remedy }),
  ];
}

/** Says where maps come from; nothing of another service, which does not say it. */
function mapFinding(account: Account): Finding[] {
  if (!Object.hasOwn(account, 'map_tiles')) return [];
  const { map_tiles: host } = account;
  return [ok('maps', host === null ? 'drawn, without streets' : `tiles of ${host}`)];
}

async function checkHealth(context: Context): Promise<Finding> {
  const { name, target } = context.settings;
  const client = await context.client(readOnly);
  const started_at = context.now();
  const { status, warnings = [] } = await healthOf(client);
  const place = target.kind === 'http' ? target.baseUrl : 'embedded';
  const words = `${name === place ? place : `${name}: ${place}`}, ${status}, after ${context.now() - started_at} ms`;
  if (warnings.length === 0) return ok('service', words);
  // The database is the service's: this machine may have another one.
  const clean = invocation('admin clean', [], { database: 'DATABASE' });
  return warn('service', `${words}. ${warnings.map(({ message }) => message).join(' ')}`, {
    remedy: 'Look at the clock of the service. Once it is right, on the machine of its database:',
    command: phrase`${clean}`,
  });
}

/** A service without a health endpoint is healthy if it responds. */
async function healthOf(client: Client): Promise<{ status: string; warnings?: { message: string }[] }> {
  try {
    return (await client.service.health()).data;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status > 499) throw error;
    await checkDeliveries(client);
    return { status: 'answers' };
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

/** The account of the key; null if there is no key yet, which the next command creates. */
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
  const lacks = missingFeatures(learned?.features);
  return lacks.length === 0 ? [] : [ok('features', `not available: ${lacks.join(', ')}`)];
}

/**
 * Compares the clocks, as ages are counted from the service's clock; a sandbox clock may have been moved on purpose.
 */
async function checkClock(context: Context, isSandbox: boolean): Promise<Finding> {
  const client = await context.client(readOnly);
  const clock = isSandbox ? (await client.clock.get()).data : null;
  const drift_ms = context.serviceNow() - context.now();
  const apart = `${lengthText(Math.abs(drift_ms))} ${drift_ms > 0 ? 'ahead of' : 'behind'} this machine`;
  const isClose = Math.abs(drift_ms) <= max_drift_ms;
  if (clock !== null && clock.mode !== 'real') {
    const times = timesFor(context.output);
    const zone = await shopZone(context).catch(() => null);
    const now = timePhrase(clock.now, { now: context.now(), times, zone });
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

/** Checks for background tasks of the account that the service gave up on. */
async function checkFailedTasks(context: Context): Promise<Finding> {
  const client = await context.client(readOnly);
  let failed: FailedTask[] = [];
  try {
    failed = await allRecords(client.failedTasks.list, { limit: 100 });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return ok('background work', 'not listed by this version of the service');
  }
  const [last] = failed;
  if (last === undefined) return ok('background work', 'none has failed');
  const kinds = [...new Set(failed.map(({ kind }) => kind))].join(', ');
  const count = failed.length === 1 ? '1 piece was' : `${failed.length} pieces were`;
  const found = `${count} given up (${kinds}), the last with: ${last.error}`;
  const isRetryable = failed.some(({ retryable }) => retryable);
  const again = invocation('admin failed', [isRetryable ? 'retry' : 'dismiss', '--all']);
  const seen = invocation('admin failed', ['list']);
  return warn('background work', found, {
    remedy: phrase`See each with \`${seen}\`. ${isRetryable ? 'Once its cause is gone' : 'Its records have their outcomes'}:`,
    command: phrase`${again}`,
  });
}
