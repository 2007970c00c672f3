/** The plan of the wizard: all that is needed to resume it, and the changes of it that steps make. */
import { isDeepStrictEqual } from 'node:util';
import { Record as RecordOf, Unknown } from 'typebox';
import { Nullable, type Static, Type } from '../../../contract/schema.ts';

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
  /** Part of the request: the user may have agreed to a second delivery with the reference. */
  refusesDuplicateRef: Type.Optional(Type.Boolean()),
});
export type PlannedDispatch = Static<typeof PlannedDispatch>;

/** The state of the wizard: everything needed to resume it. */
export const Plan = Type.Object({
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
