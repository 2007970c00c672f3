import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isFields } from '../../../domain/fields.ts';
import { Failure } from '../../kit/errors/failure.ts';
import type { Host } from '../../kit/host/host.ts';
import { invocation } from '../../kit/result/message.ts';
import { makeFolder } from '../../kit/settings/settings-file.ts';
import { codeOf, type FileLock, reasonOf, takeLock, writeWhole } from '../../kit/system/files.ts';
import { dataFolder } from '../../settings/settings.ts';
import type { Answers } from './answers.ts';
import {
  type Draft,
  type Plan,
  type PlannedDispatch,
  type PlannedOrder,
  type PlannedRoute,
  type Round,
  steps,
} from './plan.ts';

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
    makeFolder(dirname(file));
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

/** Parses a saved plan; null if it is not one of this version. */
export function parsePlan(data: unknown): Plan | null {
  if (!isFields(data) || data.version !== 1 || typeof data.key !== 'string') return null;
  const step = steps.find((name) => name === data.step);
  const orders = Array.isArray(data.orders) ? data.orders.map(orderIn) : [null];
  const whole = orders.flatMap((order) => order ?? []);
  const { key, count, optimize } = data;
  if (step === undefined || whole.length < orders.length) return null;
  if (typeof count !== 'number' || typeof optimize !== 'boolean') return null;
  return {
    ...{ version: 1, key, step, count, optimize, orders: whole },
    draft: draftIn(data.draft),
    numbers: textsIn(data.numbers),
    route: routeIn(data.route),
    round: roundIn(data.round),
    quote_id: textIn(data.quote_id),
    tip: numberIn(data.tip),
    dispatch: dispatchIn(data.dispatch),
    script: textIn(data.script),
  };
}

function orderIn(data: unknown): PlannedOrder | null {
  if (!isFields(data) || typeof data.number !== 'number' || typeof data.isOurs !== 'boolean') return null;
  const answers = answersIn(data.answers);
  const { number, isOurs, request } = data;
  if (answers === null || !isFields(request)) return null;
  return {
    ...{ number, isOurs, answers, request },
    sent_at: numberIn(data.sent_at),
    id: textIn(data.id),
    replaces: textIn(data.replaces),
  };
}

function draftIn(data: unknown): Draft | null {
  if (!isFields(data)) return null;
  const answers = answersIn(data.answers);
  return answers === null ? null : { answers, items: textsIn(data.items), replaces: textIn(data.replaces) };
}

function answersIn(data: unknown): Answers | null {
  if (!isFields(data)) return null;
  const entries = Object.entries(data).map(([name, texts]): [string, string[]] => [name, textsIn(texts)]);
  return Object.fromEntries(entries);
}

function routeIn(data: unknown): PlannedRoute | null {
  if (!isFields(data) || typeof data.number !== 'number' || !Array.isArray(data.order_ids)) return null;
  return {
    number: data.number,
    order_ids: textsIn(data.order_ids),
    optimize: data.optimize !== false,
    id: textIn(data.id),
  };
}

function roundIn(data: unknown): Round | null {
  if (!isFields(data) || typeof data.number !== 'number') return null;
  return { number: data.number, isAsked: data.isAsked === true };
}

function dispatchIn(data: unknown): PlannedDispatch | null {
  if (!isFields(data) || typeof data.quote_id !== 'string' || typeof data.sent_at !== 'number') return null;
  return { quote_id: data.quote_id, sent_at: data.sent_at, tip: numberIn(data.tip) };
}

function textsIn(data: unknown): string[] {
  return Array.isArray(data) ? data.filter((text) => typeof text === 'string') : [];
}

function textIn(data: unknown): string | null {
  return typeof data === 'string' ? data : null;
}

function numberIn(data: unknown): number | null {
  return typeof data === 'number' ? data : null;
}
