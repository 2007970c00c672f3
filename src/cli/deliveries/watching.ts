import type { Delivery } from '../../contract/deliveries.ts';
import { hasReached, isEnded } from '../../domain/delivery-states.ts';
import type { Context } from '../context.ts';
import { BadOutcome, type FailureDetails, StillPending } from '../failures/failure.ts';
import { remarksFor } from '../following/remarks.ts';
import { commandLine } from '../line/command-line.ts';
import { durationText } from '../line/flags.ts';
import { maskedPhone } from '../output/phones.ts';
import { alignedRows } from '../output/rows.ts';
import { oneLine } from '../output/sanitize.ts';
import type { Show, StreamLine, StreamResult } from '../result.ts';
import { type Change, changesBetween } from './changes.ts';
import { looksAt, statusesText } from './following.ts';
import { endingText } from './status-words.ts';

/** A delivery as it changes, until it has ended: exit 9 where it was not delivered, 8 when time ran out before. */
export function watchDelivery(
  context: Context,
  first: Delivery,
  timeout_ms: number | undefined,
): StreamResult {
  return { kind: 'stream', lines: lines(context, first, timeout_ms) };
}

async function* lines(
  context: Context,
  first: Delivery,
  timeout_ms: number | undefined,
): AsyncGenerator<StreamLine> {
  let before: Delivery | null = null;
  const phone = context.output.showPii ? (number: string) => number : maskedPhone;
  const remarks = remarksFor(context, { note: context.note, isEndless: timeout_ms === undefined });
  for await (const delivery of looksAt(context, first, { timeout_ms, remarks })) {
    if (before?.updated_at !== delivery.updated_at) yield lineOf(before, delivery, phone);
    before = delivery;
    if (hasReached(delivery.status, 'delivered')) return;
    if (isEnded(delivery.status)) throw endedBadly(delivery);
  }
  const { next, ...hint } = remarks.details();
  const goOn = { command: commandLine(['deliveries', 'watch', first.id]), when: 'go on waiting' };
  throw ranOut([before ?? first], timeout_ms ?? 0, { ...hint, next: [...next, goOn] });
}

function lineOf(before: Delivery | null, delivery: Delivery, phone: Show['phone']): StreamLine {
  const type = before === null ? 'delivery.current' : 'delivery.updated';
  const rows = changesBetween(before, delivery, { clock: (iso) => iso, phone }).map(
    ({ at, status, what }) => [at, status, what],
  );
  const line = (show: Show) => {
    const changes = changesBetween(before, delivery, show);
    return changes.length === 0 ? null : changeLines(changes, show).join('\n');
  };
  return { data: { type, ...delivery }, line, rows };
}

/** As wide as the longest status, so that lines that come one by one stand below each other. */
const statusWidth = 'driver_not_assigned'.length;

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
    next: [{ command: commandLine(['deliveries', 'explain', id]), when: 'see what happened' }],
    ...details,
  });
}

/** Exit 8: where those stand by now that were waited for. */
export function ranOut(open: readonly Delivery[], timeout_ms: number, details: FailureDetails): StillPending {
  return new StillPending(`Time ran out after ${durationText(timeout_ms)}: ${statusesText(open)}.`, details);
}
