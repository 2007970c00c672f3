import { reportOf } from '../failures/error-report.ts';
import { exits } from '../failures/exit-codes.ts';
import { DryRun, Failure, Interrupted } from '../failures/failure.ts';
import type { NextStep } from '../kit/output/invocation.ts';
import { type Invocation, invocation, isSameInvocation } from '../kit/output/invocation.ts';
import { joinedTexts, phrase, type Text, withCommands } from '../kit/output/message.ts';

/** What a line that ships has made so far, and how it goes on. */
export interface Shipment {
  order_ids: readonly string[];
  /** Its draft route; null before there is one. */
  route_id: string | null;
  /** Repeated with this idempotency key, the line goes on from here. */
  key: string;
  /** Which quote is to be taken, and the tip, as a dispatch by hand takes them. */
  dispatch: Readonly<Record<string, string | boolean | undefined>>;
}

/** What is true on an interruption while nothing is sent, and how to go on: by repeating, or by hand. */
export function standingText(shipment: Shipment, doing = ''): Text {
  return standingWith([`${thereText(shipment)}${doing}.`, repeatText(shipment)], stepsFrom(shipment));
}

/** The same while a request is under way whose end is not known. */
export function unsureText(shipment: Shipment, what: string): Text {
  return standingWith(
    [`${thereText(shipment)}; ${what} is not known.`, repeatText(shipment)],
    [look(shipment)],
  );
}

function standingWith(sentences: readonly string[], steps: readonly NextStep[]): Text {
  const commands = steps.map(
    ({ when, ...line }) => phrase`${when.charAt(0).toUpperCase()}${when.slice(1)}: \`${line}\`.`,
  );
  return joinedTexts([...sentences, ...commands], ' ');
}

/**
 * The error of a step, with what is there all the same and how to go on or undo it. An error that ends the process is
 * given back as it is.
 */
export function stuckAt(error: unknown, shipment: Shipment): unknown {
  if (error instanceof DryRun || error instanceof Interrupted) return error;
  const { exit, code, message, why, hint, next, ...rest } = reportOf(error);
  const known = error instanceof Failure ? error.details : {};
  const mine = exit === 7 ? [look(shipment)] : stepsFrom(shipment, code);
  const others = next.filter((step) => !mine.some((each) => isSameInvocation(each, step)));
  const withIds = <T extends Invocation>(line: T) => filled(line, shipment);
  const again = isFinal(exit, code) ? null : repeatText(shipment);
  const hints = [hint === null ? null : withCommands(hint, withIds), `${thereText(shipment)}.`, again];
  return new Failure(exits.find((each) => each.code === exit)?.code ?? 1, code, message, {
    ...{ missing: rest.missing, choices: rest.choices, reasons: rest.reasons },
    ...known,
    ...(why === null ? {} : { why }),
    hint: joinedTexts(
      hints.filter((part) => part !== null),
      ' ',
    ),
    next: [...others.map(withIds), ...mine],
    ...(error instanceof Failure ? {} : { cause: error }),
  });
}

/** Whether a repeat would be told the same again. */
function isFinal(exit: number, code: string): boolean {
  return exit === 2 || exit === 5 || code === 'order_not_open' || code === 'idempotency_key_reuse';
}

/** `The order ord_1 stays, in the route rte_1` */
function thereText({ order_ids, route_id }: Shipment): string {
  const ids = order_ids.join(', ');
  const [what, stay] = order_ids.length === 1 ? ['The order', 'stays'] : ['The orders', 'stay'];
  return `${what} ${ids} ${stay}${route_id === null ? '' : `, in the route ${route_id}`}`;
}

function repeatText({ key }: Shipment): string {
  return `To go on from here, repeat the line with --idempotency-key ${key}: nothing is made twice.`;
}

/** Where the end of a request is not known, looking comes first. */
function look({ order_ids: [first = ''], route_id }: Shipment): NextStep {
  const line = route_id === null ? invocation('orders get', [first]) : invocation('routes get', [route_id]);
  return { ...line, when: 'see where it stands' };
}

/** What can be done by hand. What somebody else did with an order is to be seen first. */
function stepsFrom({ order_ids, route_id, dispatch }: Shipment, code = ''): NextStep[] {
  const [first = ''] = order_ids;
  const isOne = order_ids.length === 1;
  const close = isOne
    ? { ...invocation('orders cancel', [first]), when: 'close it' }
    : { ...invocation('orders list', [], { status: 'open' }), when: 'see them, and close each' };
  if (code === 'order_not_open') return [];
  if (route_id === null)
    return [{ ...invocation('routes create', [...order_ids]), when: 'go on by hand' }, close];
  return [
    ...byHand(route_id, dispatch, code),
    {
      ...invocation('routes delete', [route_id]),
      when: `undo it, which gives its ${isOne ? 'order' : 'orders'} back`,
    },
    { ...close, when: `then ${close.when}` },
  ];
}

/** Where there are no quotes to take, they are asked for first, as the error itself says. */
function byHand(route_id: string, dispatch: Shipment['dispatch'], code: string): NextStep[] {
  if (['no_quotes', 'quotes_not_ready', 'quote_expired'].includes(code)) return [];
  // Without a quote of that courier another is taken: the error says whose there are.
  if (code === 'quote_not_found')
    return [
      {
        ...invocation('dispatch', [route_id], { ...dispatch, provider: undefined, cheapest: true }),
        when: 'take the cheapest of them',
      },
    ];
  const when = code === 'above_max_cost' ? 'take it at that price' : 'go on by hand';
  return [{ ...invocation('dispatch', [route_id], dispatch), when }];
}

/** The commands that an error code names are about any route and order: these are the ones. */
function filled<T extends Invocation>(line: T, { order_ids, route_id }: Shipment): T {
  const ids = new Map([
    ['ROUTE', route_id],
    ['ORDER', order_ids[0]],
  ]);
  return { ...line, args: line.args.map((arg) => ids.get(arg) ?? arg) };
}
