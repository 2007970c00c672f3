/** Deliveries that were begun and not dispatched: the records that exist, and how to continue. */
import { isRefusal } from '../../client/errors.ts';
import { exits } from '../errors/error-codes.ts';
import { createErrorReport } from '../errors/error-report.ts';
import { DryRun, Failure, Interrupted } from '../kit/errors/failure.ts';
import {
  type Invocation,
  type InvocationFlags,
  invocation,
  isSameInvocation,
  joinedTexts,
  type NextStep,
  phrase,
  type Text,
  withCommands,
  withValues,
} from '../kit/result/message.ts';

/** The state of a delivery that is not dispatched yet. */
export interface Unfinished {
  order_ids: readonly string[];
  /** The draft route of the orders; null before there is one. */
  route_id: string | null;
  /** The requests that were sent and not answered: their outcome is unknown. */
  pending: readonly ('order' | 'route' | 'dispatch')[];
  /** Whether the service executes a repeated request only once. */
  isRepeatable: boolean;
}

/** `Order ord_1 is in draft route rte_1.` */
export function recordsText({ order_ids, route_id, pending }: Unfinished): string {
  if (order_ids.length === 0) return 'No order was created yet.';
  const orders = order_ids.length === 1 ? `Order ${order_ids} is` : `Orders ${order_ids.join(', ')} are`;
  if (route_id === null) return `${orders} open.`;
  return `${orders} in ${pending.includes('dispatch') ? 'route' : 'draft route'} ${route_id}.`;
}

/** The existing records, the steps in progress, and the unknown outcomes. */
export function stateText(unfinished: Unfinished, doing = ''): string {
  const { order_ids, pending, isRepeatable } = unfinished;
  const end = isRepeatable ? '; it is never done twice.' : '.';
  const isDraft = order_ids.length > 0 && !pending.includes('dispatch');
  return [
    `${recordsText(unfinished)}${isDraft ? ' Nothing was dispatched.' : ''}${doing}`,
    ...pending.map((each) => `It is not known yet whether ${outcomeTexts[each]}${end}`),
  ].join(' ');
}

const outcomeTexts = {
  order: 'another order was created',
  route: 'the route was created',
  dispatch: 'the route was dispatched',
};

/** An unfinished delivery that the same command line continues. */
export interface Continued extends Unfinished {
  /** The idempotency key with which the command line continues. */
  key: string;
  /** The flags that select the quote, its maximum and the tip, for `waybill dispatch`. */
  dispatch: InvocationFlags;
}

/** The state on an interruption, and how to continue. */
export function interruptedFlowText(continued: Continued, doing = ''): Text {
  const steps = continued.pending.length > 0 ? [statusStep(continued)] : continuingSteps(continued);
  const commands = steps.map((step) => phrase`${capitalized(step.when)}: \`${step}\`.`);
  return joinedTexts([stateText(continued, doing), ...commands, ...rerunTexts(continued)], ' ');
}

/**
 * The error of a step, with what exists and how to continue. An error that ends the process is unchanged.
 */
export function failedAt(error: unknown, continued: Continued): unknown {
  if (error instanceof DryRun || error instanceof Interrupted) return error;
  const { exit, code, message, why, hint, next, ...rest } = createErrorReport(error);
  const known = error instanceof Failure ? error.details : {};
  const isKnown = error instanceof Failure || isRefusal(error);
  const state = { ...continued, pending: isKnown ? [] : continued.pending };
  const ownSteps = exit === 4 ? [] : exit === 7 ? [statusStep(continued)] : continuingSteps(continued, code);
  const others = next.filter((step) => !ownSteps.some((each) => isSameInvocation(each, step)));
  const withIds = <T extends Invocation>(line: T) => fillIds(line, continued);
  const hints = [
    ...(hint === null ? [] : [withCommands(hint, withIds)]),
    // An order that another request has taken is not open anymore.
    ...(code === 'order_not_open'
      ? []
      : [state.pending.length === 0 ? recordsText(state) : stateText(state)]),
    ...(isFinal(exit, code) ? [] : rerunTexts(continued)),
  ];
  return new Failure(exits.find((each) => each.code === exit)?.code ?? 1, code, message, {
    missing: rest.missing,
    choices: rest.choices,
    reasons: rest.reasons,
    ...known,
    ...(why === null ? {} : { why }),
    hint: joinedTexts(hints, ' '),
    next: [...others.map(withIds), ...ownSteps],
    ...(error instanceof Failure ? {} : { cause: error }),
  });
}

/** Whether a rerun would fail in the same way. */
function isFinal(exit: number, code: string): boolean {
  return (
    exit === 2 || exit === 4 || exit === 5 || code === 'order_not_open' || code === 'idempotency_key_reuse'
  );
}

function rerunTexts({ key, isRepeatable }: Continued): string[] {
  if (!isRepeatable) return [];
  return [`To continue and create nothing twice, rerun the command with --idempotency-key ${key}`];
}

function statusStep({ order_ids: [first = ''], route_id }: Unfinished): NextStep {
  const line = route_id === null ? invocation('orders get', [first]) : invocation('routes get', [route_id]);
  return { ...line, when: 'see its status' };
}

/**
 * The commands that continue step by step. An order that is used elsewhere has its own steps. None cancels an order or
 * deletes a route: a refused dispatch does not say that it is not wanted.
 */
function continuingSteps({ order_ids, route_id, dispatch }: Continued, code = ''): NextStep[] {
  if (code === 'order_not_open') return [];
  if (route_id === null)
    return [{ ...invocation('routes create', [...order_ids]), when: 'continue step by step' }];
  return dispatchSteps(route_id, dispatch, code);
}

/** How to dispatch the route. Without quotes, or with none up to the maximum, there is no way; the error itself says how to request them. */
function dispatchSteps(route_id: string, flags: InvocationFlags, code: string): NextStep[] {
  if (['no_quotes', 'quotes_not_ready', 'quote_expired'].includes(code)) return [];
  if (code === 'above_max_cost')
    return [{ ...invocation('quotes list', [route_id]), when: 'see what each courier costs' }];
  // The provider has no quote; the error lists those that have one.
  if (code === 'quote_not_found') {
    const cheapest = { ...flags, provider: undefined, driver: undefined, cheapest: true };
    const again = { ...invocation('dispatch', [route_id], flags), when: 'once a driver can take it' };
    const other = { ...invocation('dispatch', [route_id], cheapest), when: 'use the cheapest quote' };
    return flags.driver === undefined ? [other] : [again, other];
  }
  return [{ ...invocation('dispatch', [route_id], flags), when: 'continue step by step' }];
}

/** The command with the IDs of this delivery: the commands of error codes are about any route and order. */
function fillIds<T extends Invocation>(line: T, { order_ids, route_id }: Unfinished): T {
  const ids = new Map([
    ['ROUTE', route_id],
    ['ORDER', order_ids[0]],
  ]);
  return withValues(line, ids);
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
