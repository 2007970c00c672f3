import type { Answers, Draft, Plan, PlannedDispatch, PlannedOrder, PlannedRoute, Round } from './plan.ts';
import { steps } from './plan.ts';

type Fields = Record<string, unknown>;

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

function isFields(data: unknown): data is Fields {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
