import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { Context } from '../command.ts';
import { told } from '../failures/errors.ts';
import { Failure } from '../failures/failure.ts';
import { profilesFile } from './paths.ts';
import { readProfiles } from './profiles.ts';

/** What one check of `doctor` found. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do; empty where all is well. */
  remedy: string;
}

const largestDrift_ms = 5 * 60_000;

/** What can be seen without a service: the runtime, the settings, the storage. */
export async function checkMachine(context: Context): Promise<Finding[]> {
  const { host } = context;
  const file = profilesFile(host);
  return [
    ok('runtime', `Node ${host.runtime} on ${host.platform}, waybill ${host.version}`),
    attempt('settings', () => {
      const { current } = readProfiles(file);
      return statusOf(file) === null
        ? 'none yet; made when first needed'
        : `${file}, profile ${current} in use`;
    }),
    permissions('settings folder', dirname(file), 0o700, host.platform),
    permissions('settings file', file, 0o600, host.platform),
    await attemptLater('storage', () => storageOf(context)),
  ];
}

async function storageOf({ settings }: Context): Promise<string> {
  if (settings.target.kind === 'http') return 'at the service';
  const { file } = settings.target;
  const exists = statusOf(file) !== null;
  accessSync(exists ? file : nearestFolder(dirname(file)), constants.R_OK | constants.W_OK);
  if (!exists) return `${file}, made when first needed`;
  await checkPages(file);
  return file;
}

/** Throws Failure where the file is no database, or a damaged one: every page of it is looked at. */
async function checkPages(file: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  let found: unknown;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    database.close();
  } catch (error) {
    found = error instanceof Error ? error.message : error;
  }
  if (found === 'ok') return;
  throw new Failure(7, 'storage_damaged', `${file} is damaged: ${String(found)}`, {
    hint: 'Put a copy of it back, or move it away: then a new one is made.',
  });
}

function nearestFolder(folder: string): string {
  return statusOf(folder) === null && dirname(folder) !== folder ? nearestFolder(dirname(folder)) : folder;
}

/** Only this person may read what holds keys. Windows has no such modes. */
function permissions(check: string, path: string, allowed: number, platform: string): Finding {
  const mode = statusOf(path);
  if (mode === null) return ok(check, 'none yet');
  const text = mode.toString(8).padStart(4, '0');
  if (platform === 'win32' || (mode & ~allowed) === 0) return ok(check, `${path} (${text})`);
  const remedy = `chmod ${allowed.toString(8)} '${path}'`;
  return { check, status: 'warn', found: `${path} is open to others (${text})`, remedy };
}

function statusOf(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : stats.mode & 0o777;
}

/** What the service in use says: whether it answers, whose key it is, what time it has. */
export async function checkService(context: Context): Promise<Finding[]> {
  const opened = await attemptLater('connection', async () => {
    await context.client();
    return placeOf(context);
  });
  if (opened.status === 'fail') return [opened];
  const client = await context.client();
  const health = await attemptLater('service', async () => (await client.service.health()).data.status);
  if (health.status === 'fail') return [opened, health];
  return [opened, health, await attemptLater('key', () => keyOf(client)), clockOf(context)];
}

function placeOf({ settings: { name, target } }: Context): string {
  return `${name}: ${target.kind === 'http' ? target.baseUrl : 'embedded'}`;
}

async function keyOf(client: Client): Promise<string> {
  const { data } = await client.account.get();
  return `${data.test_mode ? 'test' : 'live'} mode, may ${data.permission}`;
}

/** Ages are counted from the service's clock; a test clock may have been moved on purpose. */
function clockOf(context: Context): Finding {
  const drift_ms = context.serviceNow() - context.now();
  const minutes = Math.round(Math.abs(drift_ms) / 60_000);
  if (Math.abs(drift_ms) <= largestDrift_ms) return ok('clock', 'this machine and the service agree');
  const found = `the service is ${minutes} min ${drift_ms > 0 ? 'ahead of' : 'behind'} this machine`;
  return {
    check: 'clock',
    status: 'warn',
    found,
    remedy: 'Set the clock; a sandbox clock may be ahead on purpose.',
  };
}

function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, remedy: '' };
}

function attempt(check: string, look: () => string): Finding {
  try {
    return ok(check, look());
  } catch (error) {
    return failed(check, error);
  }
}

async function attemptLater(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return ok(check, await look());
  } catch (error) {
    return failed(check, error);
  }
}

function failed(check: string, error: unknown): Finding {
  const { message, hint, next } = told(error);
  // Whoever reads this has asked doctor already.
  const remedy = hint?.replace(/[;,] `waybill doctor`[^.]*/, '') ?? next[0]?.command ?? '';
  return { check, status: 'fail', found: message, remedy };
}
