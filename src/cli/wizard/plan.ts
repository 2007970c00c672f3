/** The steps of the manual flow (seed 1), in their order. */
export const steps = ['orders', 'route', 'quotes', 'choice', 'dispatch'] as const;
export type Step = (typeof steps)[number];

/** An order as it was typed: texts by the names of the flags of `orders create`. */
export type Answers = Readonly<Record<string, readonly string[]>>;

/** An order of the plan. */
export interface PlannedOrder {
  /** Names the idempotency key of its creation. */
  number: number;
  /** Whether it is made here; else it was open before. */
  isOurs: boolean;
  answers: Answers;
  /** What is sent to make it: its times are settled, so that it can be sent again unchanged. */
  request: Readonly<Record<string, unknown>>;
  /** When it was sent, wall time; null where that is to come, or was refused. */
  sent_at: number | null;
  /** Null until the service has answered. */
  id: string | null;
  /** The order that is closed once this one is there. */
  replaces: string | null;
}

/** An order that is being typed. */
export interface Draft {
  answers: Answers;
  /** The items typed so far, while there may be more. */
  items: readonly string[];
  replaces: string | null;
}

export interface PlannedRoute {
  number: number;
  order_ids: readonly string[];
  optimize: boolean;
  id: string | null;
}

/** A round of quotes; not yet asked for while the request may not have been sent. */
export interface Round {
  number: number;
  isAsked: boolean;
}

export interface PlannedDispatch {
  quote_id: string;
  tip: number | null;
  sent_at: number;
}

/** How far a delivery is on its way to the courier: all that is needed to take it up again. */
export interface Plan {
  version: 1;
  /** What the idempotency keys of all its writes begin with. */
  key: string;
  step: Step;
  /** The numbers given to writes so far. */
  count: number;
  draft: Draft | null;
  orders: readonly PlannedOrder[];
  /** Phone numbers of orders made elsewhere, which the person has not typed: they are shown as people see them. */
  numbers: readonly string[];
  optimize: boolean;
  route: PlannedRoute | null;
  round: Round | null;
  quote_id: string | null;
  /** Cents, for the driver. */
  tip: number | null;
  /** There once it was sent: whether it was done is not known then. */
  dispatch: PlannedDispatch | null;
  /** The file that the whole is written to as a script, wherever the program runs then; null: none was asked for. */
  script: string | null;
}

export function newPlan(key: string, script: string | null = null): Plan {
  return {
    ...{ version: 1, key, step: 'orders', count: 0, draft: null, orders: [], numbers: [], optimize: true },
    ...{ route: null, round: null, quote_id: null, tip: null, dispatch: null, script },
  };
}

/** Where a step ends: at the next, at the one before, at itself, or at one that is named. */
export type Move = 'next' | 'back' | 'again' | Step;

/** The step before each. Quotes are there at once where they were asked for: back from the choice is the route. */
const before = {
  orders: 'orders',
  route: 'orders',
  quotes: 'route',
  choice: 'route',
  dispatch: 'choice',
} as const satisfies Record<Step, Step>;

/** The step that follows a move. */
export function stepAfter(step: Step, move: Move): Step {
  if (move === 'again') return step;
  if (move === 'back') return before[step];
  if (move !== 'next') return move;
  return steps[Math.min(steps.indexOf(step) + 1, steps.length - 1)] ?? step;
}

/** The ids of the orders that are there. */
export function orderIds({ orders }: Pick<Plan, 'orders'>): string[] {
  return orders.flatMap(({ id }) => id ?? []);
}

/** Orders that were sent and not heard of, or sent once and refused: they are not there yet. */
export function unsettled({ orders }: Pick<Plan, 'orders'>): PlannedOrder[] {
  return orders.filter(({ id, replaces }) => id === null || replaces !== null);
}

/** Whether the route is of the orders as they are by now, in the way that is wanted. */
export function isRouteCurrent(plan: Plan): boolean {
  const { route, optimize } = plan;
  const ids = orderIds(plan);
  return (
    route !== null &&
    route.optimize === optimize &&
    route.order_ids.length === ids.length &&
    route.order_ids.every((id, index) => id === ids[index])
  );
}

/** An order put into the plan, or changed in it. */
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

/** Without a route there are neither quotes nor a choice among them. */
export function withoutRoute(plan: Plan): Plan {
  return { ...plan, route: null, round: null, quote_id: null, dispatch: null };
}

/** The quotes are to be asked for again. */
export function withoutQuotes(plan: Plan): Plan {
  return { ...plan, round: null, quote_id: null, dispatch: null };
}

/** The idempotency key of a write. */
export function keyOf({ key }: Pick<Plan, 'key'>, part: string): string {
  return `${key}/${part}`;
}
