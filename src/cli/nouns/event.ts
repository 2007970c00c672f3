/** An event: its columns and lines, the filter by types, and the stream of events. */
import { ApiError } from '../../client/errors.ts';
import { EventForgotten, type FollowOptions, lasting_ms, StreamEnded } from '../../client/event-stream.ts';
import type { Event } from '../../contract/events.ts';
import { type EventType, eventTypes, namedEventTypes } from '../../contract/vocabulary.ts';
import { statusWord } from '../../domain/status-words.ts';
import { type Flag, type FlagOptions, listFlag, readChoice } from '../kit/args/flags.ts';
import { alignedRows, type Cell } from '../kit/output/aligned-rows.ts';
import { statusWidth } from '../kit/output/colour.ts';
import { createHints, type Hint } from '../kit/polling/hints.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import type { CellValue, Column, Formatters } from '../kit/result/result.ts';
import { type Shape, stepShape } from '../kit/result/shape.ts';
import type { Context, ResultBuilder } from '../session/command.ts';
import { stillClockHint } from '../waiting/service-clock.ts';
import { unreachableHint } from '../waiting/service-waiting.ts';

/** Columns of events: the record and its status at that time. */
export const eventColumns: readonly Column<Event>[] = [
  { field: 'created_at', header: 'When', kind: 'time', spare: 4 },
  { field: 'type', header: 'Type', kind: 'text' },
  { field: 'data.id', header: 'Of', kind: 'text', spare: 3, value: (event) => subjectOf(event) },
  { field: 'data.status', header: 'Status', kind: 'status', spare: 2, value: (event) => statusOf(event) },
  { field: 'sequence', header: 'Sequence', kind: 'text', spare: 1 },
  { field: 'id', header: 'ID', kind: 'id' },
];

/** An event in JSON; its record may be of any kind. */
export function eventShape({ withField, answerOf, word }: ResultBuilder): Shape {
  return withField(answerOf('events.get'), 'data', word('the record it describes'));
}

/** The hints that endless commands write to stderr, in JSON. */
export function hintShape({ object, listOf }: ResultBuilder): Shape {
  return object({ type: '"hint"', code: 'string', message: 'string', next: listOf(stepShape) });
}

/** The ID of the event's record; for quotes, of their route. */
export function subjectOf({ data }: Event): string {
  const [quote] = 'data' in data && Array.isArray(data.data) ? data.data : [];
  const record_ids = ['id', 'batch_id', 'delivery_id', 'route_id'].map((field) => textIn(data, field));
  return record_ids.find((id) => id !== '') ?? textIn(quote, 'route_id');
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
export const idIndent = 7;
/** The width of all cells on one line. */
const wholeLine = 5 + typeWidth + 2 * idWidth + statusWidth + 32;
/** The width of both IDs. */
const idsLine = idIndent + 2 * idWidth + 2;
/** Formats an event in as many lines as the terminal needs: time, type, record and outcome. */
export function eventText(event: Event, outcome: string, show: Formatters): string {
  const head: Cell[] = [
    { text: show.clock(event.created_at), paint: show.dim },
    { text: event.type, width: typeWidth },
  ];
  const status = { text: statusWord(statusOf(event)), paint: show.status, width: statusWidth };
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
const ordinaryTypes: readonly EventType[] = eventTypes.filter((type) => !named.has(type));
const beginnings = [...new Set(ordinaryTypes.map((type) => `${type.split('.')[0]}.*`))];
/** The accepted patterns: a type, a prefix of types, or `*`. */
const eventTypePatterns: readonly string[] = ['*', ...beginnings, ...eventTypes];

/** `--events order.failed,delivery.*`, or repeated. */
export function typesFlag(options: FlagOptions): Flag<EventType[]> {
  const base = listFlag({ placeholder: 'TYPES', ...options });
  return { ...base, choices: eventTypePatterns, read: readTypes, absent: () => [] };
}

function readTypes(texts: readonly string[]): EventType[] {
  const patterns = texts
    .flatMap((text) => text.split(','))
    .map((part) => readChoice(part.trim(), eventTypePatterns));
  const typesOf = (pattern: string) =>
    eventTypes.filter((type) => type === pattern || (!named.has(type) && matchesPattern(type, pattern)));
  return [...new Set(patterns.flatMap(typesOf))];
}

/** True if an event type equals the pattern or has its prefix. */
function matchesPattern(type: string, pattern: string): boolean {
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
export function sendersNotes(context: Context): Text[] {
  if (!leavesEventsWaiting(context)) return [];
  const advance = invocation('sandbox advance', [], { by: '1s' });
  return [
    phrase`Events are sent while \`${invocation('serve')}\` or \`${invocation('listen')}\` runs, and by \`${advance}\`; other commands leave them waiting.`,
  ];
}

/** Whether an event waits to be sent, until another command of the embedded service sends it. */
export function leavesEventsWaiting({ settings }: Context): boolean {
  return settings.target.kind === 'embedded';
}

/** No events occur on a stopped sandbox clock unless it is advanced. */
export async function warnOfStillClock(context: Context): Promise<void> {
  if ((await context.mode()) === 'live') return;
  const hint = await stillClockHint(context);
  if (hint !== null) await createHints(context, { note: context.note, isEndless: true }).say(hint);
}

/**
 * Streams the service's events. Calls `opened` when the stream is first open, and reports a lost connection once until
 * it has been stable again.
 */
export async function* openEventStream(
  context: Context,
  query: Omit<FollowOptions, 'onOpen' | 'onLost'>,
  opened: () => void,
): AsyncGenerator<Event> {
  const client = await context.client();
  const { onOpen, onLost, lasts, stop } = streamStates(context, opened);
  try {
    for await (const event of client.follow({ ...query, onOpen, onLost })) {
      lasts();
      yield event;
    }
  } finally {
    stop();
  }
}

function streamStates(context: Context, opened: () => void) {
  const hints = createHints(context, { note: context.note, isEndless: true });
  const said = new Set<string>();
  let isOpened = false;
  let ends = 0;
  let stop = () => {};
  const lasts = () => {
    stop();
    ends = 0;
    if (said.size > 0) void hints.say(backAgain);
    said.clear();
  };
  const onOpen = () => {
    if (!isOpened) opened();
    isOpened = true;
    stop();
    stop = context.host.timer(lasting_ms, lasts);
  };
  const onLost = (error: Error) => {
    stop();
    // A stream that is closed properly is often back immediately.
    if (error instanceof StreamEnded) ends += 1;
    if (error instanceof StreamEnded && ends < 2) return;
    const hint = lossOf(error);
    if (!said.has(hint.code)) void hints.say(hint);
    said.add(hint.code);
  };
  return { onOpen, onLost, lasts, stop: () => stop() };
}

/** Explains why the stream was lost. */
function lossOf(error: Error): Hint {
  if (error instanceof EventForgotten) return forgotten;
  if (error instanceof StreamEnded) return endsAtOnce;
  return error instanceof ApiError ? refusedFor(error) : unreachableHint(error);
}

/** The stream is stable again. */
const backAgain: Hint = {
  code: 'reachable',
  message: 'The events of the service come again.',
  command: null,
  when: '',
};

const forgotten: Hint = {
  code: 'event_forgotten',
  message:
    'The service no longer has the last event, for example after a reset. Continuing with newer events.',
  command: null,
  when: '',
};

const endsAtOnce: Hint = {
  code: 'stream_ends',
  message:
    'The service answers, but its stream of events ends each time that it is open. Opening it again until it stays.',
  command: null,
  when: '',
};

function refusedFor({ message }: ApiError): Hint {
  const text = `The service gives no events at the moment: ${message} Asking again until it does.`;
  return { code: 'unreachable', message: text, command: null, when: '' };
}
