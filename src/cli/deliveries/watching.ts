import type { Delivery } from '../../contract/deliveries.ts';
import { hasReached, isEnded } from '../../domain/delivery-states.ts';
import type { Context } from '../context.ts';
import { BadOutcome, type FailureDetails, StillPending } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { invocation } from '../kit/output/invocation.ts';
import { remarksFor } from '../kit/polling/hints.ts';
import { durationText } from '../line/flags.ts';
import { phoneShown } from '../output/phones.ts';
import { alignedRows } from '../output/rows.ts';
import { oneLine } from '../output/sanitize.ts';
import { wrapped } from '../output/width.ts';
import type { Show, StreamLine, StreamResult } from '../result.ts';
import type { Outcome } from '../waiting/status-targets.ts';
import { goingOn } from '../waiting/wait.ts';
import type { Waiting } from '../waiting/waiting-flags.ts';
import { type Change, changesBetween } from './changes.ts';
import { type DeliveryGoal, outcomeOf } from './delivery-targets.ts';
import { looksAt, statusesText } from './delivery-waitable.ts';
import { endingText, timeOfRecord } from './status-words.ts';

/** How a delivery is watched. */
export interface Watching {
  /** Null: until it has ended. */
  goal: DeliveryGoal | null;
  waiting: Waiting;
  /** The command that goes on. */
  again: Invocation;
}

/**
 * A delivery as it changes, until it has ended, or has reached what is waited for: exit 9 where it was not delivered,
 * or cannot get there any more, 8 when time ran out before.
 */
export function watchDelivery(context: Context, first: Delivery, watching: Watching): StreamResult {
  return { kind: 'stream', lines: lines(context, first, watching) };
}

async function* lines(
  context: Context,
  first: Delivery,
  { goal, waiting, again }: Watching,
): AsyncGenerator<StreamLine> {
  let before: Delivery | null = null;
  const phone = phoneShown(context.output);
  const remarks = remarksFor(context, { note: context.note, isEndless: waiting.timeout_ms === undefined });
  for await (const delivery of looksAt(context, first, { ...waiting, remarks })) {
    const isTold = before === null ? !waiting.changesOnly : before.updated_at !== delivery.updated_at;
    if (isTold) yield lineOf(before, delivery, phone);
    before = delivery;
    const outcome = goal === null ? endOf(delivery) : outcomeOf(delivery, goal);
    if (outcome === 'reached') return;
    if (outcome === 'lost') throw endedBadly(delivery);
  }
  throw ranOut([before ?? first], waiting.timeout_ms ?? 0, goingOn(remarks, [again]));
}

/** To the very end: what is on its way back is followed until it is there. */
function endOf({ status }: Delivery): Outcome {
  if (hasReached(status, 'delivered')) return 'reached';
  return isEnded(status) ? 'lost' : 'open';
}

function lineOf(before: Delivery | null, delivery: Delivery, phone: Show['phone']): StreamLine {
  const type = before === null ? 'delivery.current' : 'delivery.updated';
  const rows = changesBetween(before, delivery, { at: timeOfRecord, phone }).map(({ at, status, what }) => [
    at,
    status,
    what,
  ]);
  const line = (show: Show) => {
    const changes = changesBetween(before, delivery, show);
    const head = before === null ? headLines(delivery, show) : [];
    return changes.length === 0 ? null : [...head, ...changeLines(changes, show)].join('\n');
  };
  return { data: { type, ...delivery }, line, rows };
}

/** Whose delivery it is, and by when: `#1042 · Joe Diner · expected 12:30`. */
function headLines(delivery: Delivery, show: Show): string[] {
  const { id, external_order_ref, dropoffs, status } = delivery;
  const [dropoff] = dropoffs;
  const isDue = dropoff !== undefined && !isEnded(status) && status !== 'request';
  const parts = [
    ...[external_order_ref || id, dropoff?.dropoff_name ?? ''],
    isDue ? `expected ${show.clock(dropoff.dropoff_eta)}` : '',
  ];
  const text = oneLine(parts.filter((part) => part !== '').join(' \u00b7 '));
  return (show.room === null ? text : wrapped(text, show.room)).split('\n').map(show.strong);
}

/** As wide as the longest status, so that lines that come one by one stand below each other. */
export const statusWidth = 'driver_not_assigned'.length;

function changeLines(changes: readonly Change[], show: Show): string[] {
  const rows = changes.map(({ at, status, what }) => [
    { text: show.clock(at), paint: show.dim },
    { text: status, paint: show.status, width: statusWidth },
    { text: oneLine(what) },
  ]);
  return alignedRows(rows, { room: show.room, indent: 0 });
}

/** Exit 9: the reason in a line. */
export function endedBadly(delivery: Delivery, details: FailureDetails = {}): BadOutcome {
  const { id, status } = delivery;
  return new BadOutcome(`${id} ${endingText(delivery)}`, {
    code: `delivery_${status}`,
    next: [{ ...invocation('deliveries explain', [id]), when: 'see what happened' }],
    ...details,
  });
}

/** Exit 8: where those stand by now that were waited for. */
export function ranOut(open: readonly Delivery[], timeout_ms: number, details: FailureDetails): StillPending {
  return new StillPending(`Time ran out after ${durationText(timeout_ms)}: ${statusesText(open)}.`, details);
}
