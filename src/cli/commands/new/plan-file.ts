/** The file of a plan, from which an interrupted wizard is resumed: its path, its lock, reading and writing it. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Check } from 'typebox/schema';
import { Failure } from '../../kit/errors/failure.ts';
import type { Host } from '../../kit/host/host.ts';
import { invocation } from '../../kit/result/message.ts';
import { type FileLock, takeLock } from '../../kit/system/file-lock.ts';
import { explainFileError, makeFolder, readErrorCode, replaceFile } from '../../kit/system/files.ts';
import { dataFolder } from '../../settings/settings.ts';
import { Plan } from './plan.ts';

/** The path of the file with the plan of a profile, in the data folder. */
export function planFile(
  host: Pick<Host, 'environment' | 'platform' | 'home'>,
  settings: { name: string },
): string {
  return join(dataFolder(host), 'new', `${encodeURIComponent(settings.name)}.json`);
}

/** Takes the lock of the plan while it is being entered; exit 6 if another wizard has it. */
export function lockPlan(file: string): FileLock {
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw unusable(file, error);
  }
  return takeLock(`${file}.lock`, { busy: running, unusable: (cause) => unusable(`${file}.lock`, cause) });
}

function running(holder: number | null): Failure {
  const who = holder === null ? 'another process' : `process ${holder}`;
  return new Failure(6, 'wizard_running', `The unfinished delivery is being entered by ${who}.`, {
    hint: 'Continue it in that terminal, or leave it there first.',
    next: [{ ...invocation('new'), when: 'start another one, which cannot be resumed' }],
  });
}

/** Reads the saved plan; null if absent. Throws Failure if the file is not a plan. */
export function readPlan(file: string): Plan | null {
  const text = readText(file);
  if (text === null) return null;
  const data = parsed(text);
  if (isPlan(data)) return data;
  throw new Failure(2, 'plan_broken', `The saved delivery is not valid: ${file}.`, {
    hint: 'Move the file away, then start again. Orders and routes created before still exist at the service.',
    next: [{ ...invocation('orders list', ['--status', 'open']), when: 'see the orders' }],
  });
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return null;
    throw unusable(file, error);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isPlan(data: unknown): data is Plan {
  return Check(Plan, data);
}

/** Writes the plan atomically, readable by its owner alone. Throws Failure if it cannot be written. */
export function writePlan(file: string, plan: Plan): void {
  try {
    makeFolder(dirname(file));
    replaceFile(file, JSON.stringify(plan), { mode: 0o600, flush: true });
  } catch (error) {
    throw unusable(file, error);
  }
}

export function removePlan(file: string): void {
  rmSync(file, { force: true });
}

function unusable(file: string, error: unknown): Failure {
  return new Failure(2, 'plan_unusable', `Cannot use the file ${file}: ${explainFileError(error)}.`, {
    hint: 'Your input is saved there so that it can be resumed. WAYBILL_DATA_DIR moves the data folder.',
    cause: error,
  });
}
