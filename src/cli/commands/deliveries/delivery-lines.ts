import type { AnyDelivery } from '../../../contract/delivery-details.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine, wrapped } from '../../kit/output/sanitize.ts';
import type { Show, StreamLine } from '../../kit/result/result.ts';
import { isSameRecord } from '../../waiting/status-records.ts';
import { storeZone } from '../orders/store-zone.ts';
import { type Change, changesBetween } from './changes.ts';
import { movedText } from './due-text.ts';
import { timeOfRecord, type Wording, wordsOf } from './status-words.ts';

/** Formats a change of a delivery as a line. */
export function deliveryLine(
  before: AnyDelivery | null,
  delivery: AnyDelivery,
  phone: Show['phone'],
): readonly StreamLine[] {
  if (isSameRecord(before, delivery)) return [];
  const changes = changesBetween(before, delivery, { at: timeOfRecord, phone });
  const line = (given: Show) => {
    const show = given.inZone(storeZone(delivery));
    const cells = changesBetween(before, delivery, show).map((change) => cellsOf(change, [], show));
    const head = before === null ? headLines(delivery, show) : [];
    return cells.length === 0 ? null : [...head, ...linesOf(cells, show)].join('\n');
  };
  return [{ data: dataOf(before, delivery), line, rows: changes.map((change) => rowOf(change, [])) }];
}

/** Renders a change of one delivery in a watched list. Its initial state counts as one change. */
export function listedDeliveryLine(
  before: AnyDelivery | null,
  delivery: AnyDelivery,
  phone: Show['phone'],
): StreamLine {
  const names = [delivery.id, delivery.external_order_ref];
  const changesFor = (wording: Wording) =>
    before === null ? [stateOf(delivery, wording)] : changesBetween(before, delivery, wording);
  const changes = changesFor({ at: timeOfRecord, phone }).map((change, index) => ({
    at: change.at,
    row: rowOf(change, names),
    text: (given: Show) => {
      const show = given.inZone(storeZone(delivery));
      return linesOf([cellsOf(changesFor(show)[index] ?? change, names, show)], show).join('\n');
    },
  }));
  const line = (show: Show) =>
    changes.length === 0 ? null : changes.map(({ text }) => text(show)).join('\n');
  return { data: dataOf(before, delivery), line, rows: changes.map(({ row }) => row), changes };
}

function dataOf(before: AnyDelivery | null, delivery: AnyDelivery) {
  return { type: before === null ? 'delivery.current' : 'delivery.updated', ...delivery };
}

function stateOf(delivery: AnyDelivery, wording: Wording): Change {
  const { status, updated_at } = delivery;
  return { at: updated_at, status, what: wordsOf(status, delivery, wording) };
}

/** Identifies the delivery and when it is expected: `#1042 · Joe Diner · expected 12:30`. */
function headLines(delivery: AnyDelivery, show: Show): string[] {
  const { id, external_order_ref, dropoffs, status } = delivery;
  const [dropoff] = dropoffs;
  const isDue = dropoff !== undefined && !isEnded(status) && status !== 'request';
  const parts = [
    ...[external_order_ref || id, dropoff?.dropoff_name ?? ''],
    isDue ? (movedText(delivery, show.now, show.clock) ?? `expected ${show.clock(dropoff.dropoff_eta)}`) : '',
  ];
  const text = oneLine(parts.filter((part) => part !== '').join(' \u00b7 '));
  return (show.room === null ? text : wrapped(text, show.room)).split('\n').map(show.strong);
}

/** The width of the longest status, so that successive lines align. */
const statusWidth = 'driver_not_assigned'.length;

function cellsOf({ at, status, what }: Change, names: readonly string[], show: Show): Cell[] {
  return [
    { text: show.clock(at), paint: show.dim },
    ...names.map((name) => ({ text: oneLine(name) })),
    { text: status, paint: show.status, width: statusWidth },
    { text: oneLine(what) },
  ];
}

function linesOf(rows: readonly (readonly Cell[])[], { room }: Show): string[] {
  return alignedRows(rows, { room, indent: 0 });
}

function rowOf({ at, status, what }: Change, names: readonly string[]): string[] {
  return [at, ...names, status, what];
}
