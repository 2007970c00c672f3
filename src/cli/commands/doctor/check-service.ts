import { ApiError } from '../../../client/errors.ts';
import type { Account } from '../../../contract/accounts.ts';
import { timeSaid, timesFor } from '../../kit/output/times.ts';
import type { Context } from '../../session/context.ts';
import { apartText } from '../sandbox/clock-text.ts';
import { checkFailedTasks } from './check-failed-tasks.ts';
import { checkStorage } from './check-storage.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { checked, type Finding, ok, warn } from './finding.ts';
import { otherKey } from './remediation.ts';

const largestDrift_ms = 5 * 60_000;
const looking = { reads: true, looks: true } as const;

/** The storage and the service in use: whether it answers, whose key it is, what time it has, what it cannot send. */
export async function checkService(context: Context): Promise<Finding[]> {
  const { target } = context.settings;
  if (target.kind === 'http') return asked(context);
  let isCurrent = false;
  let isThere = true;
  const storage = await checked('storage', context, async () => {
    const state = await checkStorage(target.file);
    isCurrent = state.isCurrent;
    isThere = state.isThere;
    return state.finding;
  });
  if (storage.status === 'fail') return [storage];
  if (!isCurrent) {
    const service = ok('service', 'embedded; it begins with the first command that uses it');
    return [storage, service, ...(isThere ? [] : strangeKey(context))];
  }
  return [storage, ...(await asked(context))];
}

/** A database that is yet to be made knows no key that is given. */
function strangeKey(context: Context): Finding[] {
  const { keyOrigin } = context.settings;
  if (keyOrigin !== 'flag' && keyOrigin !== 'environment') return [];
  return [warn('key', 'it is for another service: this one makes a key of its own', otherKey(context))];
}

async function asked(context: Context): Promise<Finding[]> {
  const service = await checked('service', context, () => health(context));
  if (service.status === 'fail') return [service];
  let account: Account | null = null;
  const key = await checked('key', context, async () => {
    account = await accountOf(context);
    return keyFinding(account, context);
  });
  if (account === null) return [service, key];
  const { sandbox, test_mode }: Account = account;
  const isSandbox = sandbox && test_mode;
  const clock = await checked('clock', context, () => checkClock(context, isSandbox));
  const webhooks = await checkWebhooks(context);
  const failed = await checked('background work', context, () => checkFailedTasks(context));
  return [service, key, clock, ...webhooks, failed];
}

async function health(context: Context): Promise<Finding> {
  const { name, target } = context.settings;
  const client = await context.client(looking);
  const begun = context.now();
  const { data } = await client.service.health();
  const place = target.kind === 'http' ? target.baseUrl : 'embedded';
  const words = `${name === place ? place : `${name}: ${place}`}, ${data.status}, after ${context.now() - begun} ms`;
  return ok('service', words);
}

/** Null where there is no key, and the next command makes one. */
async function accountOf(context: Context): Promise<Account | null> {
  const { target, keyOrigin, apiKey } = context.settings;
  const isMade = target.kind === 'embedded' && (keyOrigin === 'profile' || keyOrigin === 'default');
  if (isMade && apiKey === null) return null;
  try {
    const client = await context.client(looking);
    return (await client.account.get()).data;
  } catch (error) {
    if (isMade && error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

function keyFinding(account: Account | null, { settings }: Context): Finding {
  if (account !== null)
    return ok('key', `${account.test_mode ? 'test' : 'live'} mode, may ${account.permission}`);
  const found = settings.apiKey === null ? 'none yet' : 'not known to this database';
  return warn('key', found, { remedy: 'The next command makes one.' });
}

/** Ages are counted from the service's clock; that of a sandbox may have been moved on purpose. */
async function checkClock(context: Context, isSandbox: boolean): Promise<Finding> {
  const client = await context.client(looking);
  const clock = isSandbox ? (await client.clock.get()).data : null;
  const drift_ms = context.serviceNow() - context.now();
  const apart = apartText(drift_ms);
  const isClose = Math.abs(drift_ms) <= largestDrift_ms;
  if (clock !== null && clock.mode !== 'real') {
    const times = timesFor(context.output);
    const now = timeSaid(clock.now, { now: context.now(), times });
    const pace = clock.mode === 'manual' ? 'it stands still' : `${clock.rate} times as fast,`;
    if (times === 'relative') return ok('clock', `sandbox, ${clock.mode}: ${pace} ${apart}`);
    return ok('clock', `sandbox, ${clock.mode}: ${pace} ${now}${isClose ? '' : `, ${apart}`}`);
  }
  if (isClose)
    return ok('clock', `${clock === null ? '' : 'sandbox, real: '}this machine and the service agree`);
  if (context.settings.target.kind === 'embedded') return ok('clock', `sandbox, real: moved, ${apart}`);
  const remedy = `Set the clock of this machine${clock === null ? '.' : '; that of a sandbox may be ahead on purpose.'}`;
  return warn('clock', `the service is ${apart}`, { remedy });
}
