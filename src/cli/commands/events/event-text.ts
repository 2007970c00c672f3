import type { Event } from '../../../contract/events.ts';
import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import type { CellValue, Show } from '../../kit/result/result.ts';
import { statusOf, subjectOf } from './event-columns.ts';

const typeWidth = 'route_quotes.completed'.length;
export const idWidth = 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV'.length;
const statusWidth = 'driver_not_assigned'.length;
/** The indent of a continuation line. */
export const idIndent = 7;
/** The width of all cells on one line. */
const wholeLine = 5 + typeWidth + 2 * idWidth + statusWidth + 32;
/** The width of both IDs. */
const idsLine = idIndent + 2 * idWidth + 2;
/** Formats an event in as many lines as the terminal needs: time, type, record and outcome. */
export function eventText(event: Event, outcome: string, show: Show): string {
  const head: Cell[] = [
    { text: show.clock(event.created_at), paint: show.dim },
    { text: event.type, width: typeWidth },
  ];
  const status = { text: statusOf(event), paint: show.status, width: statusWidth };
  const ids: Cell[] = [
    { text: event.id, paint: show.dim, width: idWidth },
    { text: subjectOf(event), paint: show.dim, width: idWidth },
  ];
  const end: Cell = { text: outcome };
  const { room } = show;
  if (room === null || room >= wholeLine) return rowText([...head, ...ids, status, end], 0);
  if (room < idsLine) {
    const indent = Math.min(idIndent, Math.max(0, room - idWidth));
    const below = [[status, end], ...ids.map((id) => [id, { text: '' }])];
    return [rowText(head, 0), ...below.map((cells) => rowText(cells, indent))].join('\n');
  }
  return `${rowText([...head, status, end], 0)}\n${rowText([...ids, { text: '' }], idIndent)}`;
}

/** Nothing is truncated or wrapped, so that IDs can be copied. */
function rowText(cells: readonly Cell[], indent: number): string {
  return alignedRows([cells], { room: null, indent }).join('');
}

/** The cells of an event: time, type, ID, and its record with its status. */
export function eventCells(event: Event): CellValue[] {
  return [event.created_at, event.type, event.id, subjectOf(event), statusOf(event)];
}
