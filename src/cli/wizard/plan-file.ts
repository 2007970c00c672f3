import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../failures/failure.ts';
import type { Host } from '../host.ts';
import { invocation } from '../kit/output/invocation.ts';
import { codeOf, reasonOf } from '../settings/file-errors.ts';
import { dataFolder } from '../settings/paths.ts';
import { writeWhole } from '../settings/whole-file.ts';
import { parsePlan } from './parse-plan.ts';
import type { Plan } from './plan.ts';

/** The path of the file with the plan of a profile, in the data folder. */
export function planFile(
  host: Pick<Host, 'environment' | 'platform' | 'home'>,
  settings: { name: string },
): string {
  return join(dataFolder(host), 'new', `${encodeURIComponent(settings.name)}.json`);
}

/** Reads the saved plan; null if there is none. Throws Failure if the file is not a plan. */
export function readPlan(file: string): Plan | null {
  const text = textOf(file);
  if (text === null) return null;
  const plan = parsePlan(parsed(text));
  if (plan !== null) return plan;
  throw new Failure(2, 'plan_broken', `The saved delivery is not valid: ${file}.`, {
    hint: 'Move the file away, then start again. Orders and routes created before still exist at the service.',
    next: [{ ...invocation('orders list', ['--status', 'open']), when: 'see the orders' }],
  });
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
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

/** Writes the plan atomically, readable by its owner alone. Throws Failure if it cannot be written. */
export function writePlan(file: string, plan: Plan): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify(plan), { mode: 0o600, flush: true });
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Deletes the plan. */
export function removePlan(file: string): void {
  rmSync(file, { force: true });
}

function unusable(file: string, error: unknown): Failure {
  return new Failure(2, 'plan_unusable', `Cannot use the file ${file}: ${reasonOf(error)}.`, {
    hint: 'Your input is saved there so that it can be resumed. WAYBILL_DATA_DIR moves the data folder.',
    cause: error,
  });
}
