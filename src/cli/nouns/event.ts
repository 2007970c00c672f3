import type { Event } from '../../contract/events.ts';
import { type EventType, eventTypes, namedEventTypes } from '../../contract/vocabulary.ts';
import { type Flag, type FlagOptions, list, readChoice } from '../kit/args/flags.ts';
import { alignedRows, type Cell } from '../kit/output/rows.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import type { CellValue, Column, Show } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';

/** Columns of events: the record and its status at that time. */
export const eventColumns: readonly Column<Event>[] = [
  { field: 'created_at', header: 'When', kind: 'time', spare: 4, value: ({ created_at }) => created_at },
  { field: 'type', header: 'Type', kind: 'text', value: ({ type }) => type },
  { field: 'data.id', header: 'Of', kind: 'text', spare: 3, value: (event) => subjectOf(event) },
  { field: 'data.status', header: 'Status', kind: 'status', spare: 2, value: (event) => statusOf(event) },
  { field: 'sequence', header: 'Sequence', kind: 'text', spare: 1, value: ({ sequence }) => sequence },
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
];

/** The ID of the event's record; for quotes, of their route. */
export function subjectOf({ data }: Event): string {
  const [quote] = 'data' in data && Array.isArray(data.data) ? data.data : [];
  const own = ['id', 'batch_id', 'delivery_id', 'route_id'].map((field) => textIn(data, field));
  return own.find((id) => id !== '') ?? textIn(quote, 'route_id');
}

/** The status of the record at that time; empty if it has none. */
function statusOf({ data }: Event): string {
  return textIn(data, 'status');
}

function textIn(record: unknown, field: string): string {
  if (typeof record !== 'object' || record === null) return '';
  const value = Object.entries(record).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : '';
}

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

const named: ReadonlySet<string> = new Set(namedEventTypes);
/** All types except those sent only to subscribers that name them. */
export const ordinaryTypes: readonly EventType[] = eventTypes.filter((type) => !named.has(type));
const beginnings = [...new Set(ordinaryTypes.map((type) => `${type.split('.')[0]}.*`))];
/** The accepted patterns: a type, a prefix of types, or `*`. */
export const eventTypePatterns: readonly string[] = ['*', ...beginnings, ...eventTypes];

/** `--events order.failed,delivery.*`, or repeated. */
export function typesFlag(options: FlagOptions): Flag<EventType[]> {
  const base = list({ placeholder: 'TYPES', ...options });
  return { ...base, choices: eventTypePatterns, read: readTypes, absent: () => [] };
}

function readTypes(texts: readonly string[]): EventType[] {
  const given = texts
    .flatMap((text) => text.split(','))
    .map((part) => readChoice(part.trim(), eventTypePatterns));
  const meant = (pattern: string) =>
    eventTypes.filter((type) => type === pattern || (!named.has(type) && matchesPattern(type, pattern)));
  return [...new Set(given.flatMap(meant))];
}

/** True if an event type equals the pattern or has its prefix. */
export function matchesPattern(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

/** Reads the event type of a body, which may be anything, as anyone can send to a receiver. Null if it has none. */
export function eventTypeIn(body: string): string | null {
  try {
    const data: unknown = JSON.parse(body);
    const isNamed = typeof data === 'object' && data !== null && 'type' in data;
    return isNamed && typeof data.type === 'string' ? data.type : null;
  } catch {
    return null;
  }
}

/** Notes that the embedded service only sends events during commands; empty for a running service. */
export function sendersNotes({ settings }: Context): Text[] {
  if (settings.target.kind !== 'embedded') return [];
  return [
    phrase`Events are sent while \`${invocation('serve')}\` or \`${invocation('listen')}\` runs, and by \`${invocation('sandbox advance')}\`; other commands leave them waiting.`,
  ];
}
