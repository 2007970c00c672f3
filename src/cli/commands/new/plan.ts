/** The plan of the wizard, all that is needed to resume it: its contents, its file, and the run in which steps change it. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Record as RecordOf, Unknown } from 'typebox';
import { Check } from 'typebox/schema';
import { Nullable, type Static, Type } from '../../../contract/schema.ts';
import { stateText as unfinishedText } from '../../flow/unfinished.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { type Host, type Prompts, WentBack } from '../../kit/host/host.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { Result } from '../../kit/result/result.ts';
import { type FileLock, takeLock } from '../../kit/system/file-lock.ts';
import { explainFileError, makeFolder, readErrorCode, replaceFile } from '../../kit/system/files.ts';
import type { Context } from '../../session/command.ts';
import { dataFolder } from '../../settings/settings.ts';

/** The steps of the manual flow, in their order. */
export const steps = ['orders', 'route', 'quotes', 'choice', 'dispatch'] as const;
export type Step = (typeof steps)[number];

/** The input of an order: texts by the names of the flags of `orders create`. */
const Answers = RecordOf(Type.String(), Type.Array(Type.String()));
export type Answers = Static<typeof Answers>;

/** An order that is being entered. */
const Draft = Type.Object({
  answers: Answers,
  /** The items entered so far, while the user may add more. */
  items: Type.Array(Type.String()),
  /** The order to cancel once this one is created. */
  replaces: Nullable(Type.String()),
});
export type Draft = Static<typeof Draft>;

export const emptyDraft: Draft = { answers: {}, items: [], replaces: null };

/** An order of the plan. */
const PlannedOrder = Type.Object({
  /** Part of the idempotency key of its creation. */
  number: Type.Integer(),
  /** Whether it is created by this wizard; else it was open before. */
  isOurs: Type.Boolean(),
  answers: Answers,
  /** The request that creates it, with absolute times so that it can be sent again unchanged. */
  request: RecordOf(Type.String(), Unknown()),
  /** When it was sent, wall time; null if it was not, or was refused. */
  sent_at: Nullable(Type.Number()),
  /** Null until the service has answered. */
  id: Nullable(Type.String()),
  replaces: Nullable(Type.String()),
});
export type PlannedOrder = Static<typeof PlannedOrder>;

const PlannedRoute = Type.Object({
  number: Type.Integer(),
  order_ids: Type.Array(Type.String()),
  optimize: Type.Boolean(),
  id: Nullable(Type.String()),
});
export type PlannedRoute = Static<typeof PlannedRoute>;

/** A round of quotes. `isAsked` is set once the service has confirmed the request. */
const Round = Type.Object({ number: Type.Integer(), isAsked: Type.Boolean() });

const PlannedDispatch = Type.Object({
  quote_id: Type.String(),
  tip: Nullable(Type.Integer()),
  sent_at: Type.Number(),
});
export type PlannedDispatch = Static<typeof PlannedDispatch>;

/** The state of the wizard: everything needed to resume it. */
const Plan = Type.Object({
  version: Type.Literal(1),
  /** The prefix of the idempotency keys of its writes. */
  key: Type.String(),
  step: Type.Enum(steps),
  /** The number of writes so far. */
  count: Type.Integer(),
  draft: Nullable(Draft),
  orders: Type.Array(PlannedOrder),
  /** Phone numbers of orders created elsewhere, which the user has not typed: they are displayed masked. */
  numbers: Type.Array(Type.String()),
  optimize: Type.Boolean(),
  route: Nullable(PlannedRoute),
  round: Nullable(Round),
  quote_id: Nullable(Type.String()),
  /** The driver's tip in cents. */
  tip: Nullable(Type.Integer()),
  /** Set once the dispatch is sent, until its outcome is known. */
  dispatch: Nullable(PlannedDispatch),
  /** The absolute path of the file for the script; null if none was requested. */
  script: Nullable(Type.String()),
});
export type Plan = Static<typeof Plan>;

export function newPlan(key: string, script: string | null = null): Plan {
  return {
    version: 1,
    key,
    step: 'orders',
    count: 0,
    draft: null,
    orders: [],
    numbers: [],
    optimize: true,
    route: null,
    round: null,
    quote_id: null,
    tip: null,
    dispatch: null,
    script,
  };
}

/** Another step: the next one, the previous one, the same again, or a named one. */
export type Move = 'next' | 'back' | 'again' | Step;

export function orderIds({ orders }: Pick<Plan, 'orders'>): string[] {
  return orders.flatMap(({ id }) => id ?? []);
}

/** Orders whose creation or replacement is not finished. */
export function unfinishedOrders({ orders }: Pick<Plan, 'orders'>): PlannedOrder[] {
  return orders.filter(({ id, replaces }) => id === null || replaces !== null);
}

/** Whether the route has the current orders and the chosen optimization. */
export function isRouteCurrent(plan: Plan): boolean {
  const { route, optimize } = plan;
  return route?.optimize === optimize && isDeepStrictEqual(route.order_ids, orderIds(plan));
}

/** Adds an order to the plan, or replaces it. */
export function withOrder(plan: Plan, order: PlannedOrder): Plan {
  const isThere = plan.orders.some(({ number }) => number === order.number);
  const orders = isThere
    ? plan.orders.map((each) => (each.number === order.number ? order : each))
    : [...plan.orders, order];
  return { ...plan, count: Math.max(plan.count, order.number), orders };
}

export function withoutOrder(plan: Plan, number: number): Plan {
  return { ...plan, orders: plan.orders.filter((order) => order.number !== number) };
}

/** Removes the route, and with it the quotes and the choice. */
export function withoutRoute(plan: Plan): Plan {
  return { ...plan, route: null, round: null, quote_id: null, dispatch: null };
}

/** Removes the quotes, so that they are requested again. */
export function withoutQuotes(plan: Plan): Plan {
  return { ...plan, round: null, quote_id: null, dispatch: null };
}

export function writeKey({ key }: Pick<Plan, 'key'>, part: string): string {
  return `${key}/${part}`;
}

export function isResumable({ orders, draft }: Plan): boolean {
  return orders.length > 0 || (draft !== null && Object.keys(draft.answers).length > 0);
}

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
  const data = parsed(text);
  if (isPlan(data)) return data;
  throw new Failure(2, 'plan_broken', `The saved delivery is not valid: ${file}.`, {
    hint: 'Move the file away, then start again. Orders and routes created before still exist at the service.',
    next: [{ ...invocation('orders list', ['--status', 'open']), when: 'see the orders' }],
  });
}

function textOf(file: string): string | null {
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

/** The state and tools of the steps. */
export interface Run {
  context: Context;
  prompts: Prompts;
  /** The current plan. */
  readonly plan: Plan;
  /** Whether the plan is saved, so that it can be resumed. */
  isSaved: boolean;
  /** Whether this run has deleted a route or canceled orders again. */
  hasUndone: boolean;
  /** Replaces the plan and writes it to its file before anything else happens. */
  savePlan(plan: Plan): void;
  print(line: Text): void;
  /** Prints a line of a script, which is never wrapped. */
  printScriptLine(line: string): void;
  /** Prints a command that is equivalent to what was just printed. */
  printCommand(line: Invocation): void;
}

/** The order that is being entered, or an empty one. */
export function draftOf({ plan }: Run): Draft {
  return plan.draft ?? emptyDraft;
}

export function saveDraft(run: Run, changes: Partial<Draft>): void {
  run.savePlan({ ...run.plan, draft: { ...draftOf(run), ...changes } });
}

/** Where a step leads: to another step, or to the end, which gives the result of the command. */
export type StepResult = Move | { end: () => Result | Promise<Result> };

/** The choice to quit. */
export const leaveChoice = { name: 'Leave it for later', value: 'leave' } as const;

/** The user quits; what was created stays and can be resumed. */
export class Quit extends Error {
  override name = 'Quit';
}

/** The answer to a question; null if the user went back. */
export async function nullIfBack<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return null;
    throw error;
  }
}

/** Which records the service has already, and how to continue if the plan is saved. */
export function continueText(
  { plan, isSaved, hasUndone }: Pick<Run, 'plan' | 'isSaved' | 'hasUndone'>,
  doing = '',
): Text {
  if (!isResumable(plan))
    return hasUndone ? 'What was created was undone.' : 'Nothing was changed at the service.';
  if (!isSaved)
    return `${progressText({ ...plan, draft: null }, doing)} It was not saved: it cannot be resumed.`;
  return phrase`${progressText(plan, doing)} Continue with: \`${invocation('new', [], { resume: true })}\`.`;
}

/** Which records the service has already, and whether input was saved. */
export function progressText(plan: Plan, doing = ''): string {
  const { orders, route, dispatch, draft } = plan;
  const pending = [
    ...(orders.some(({ id }) => id === null) ? (['order'] as const) : []),
    ...(route !== null && route.id === null ? (['route'] as const) : []),
    ...(dispatch === null ? [] : (['dispatch'] as const)),
  ];
  // A request that may not be repeated is forgotten.
  const records = { order_ids: orderIds(plan), route_id: route?.id ?? null, isRepeatable: true };
  const text = unfinishedText({ ...records, pending }, doing);
  return draft === null ? text : `${text} Your input was saved.`;
}
