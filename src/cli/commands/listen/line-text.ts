import type { Event } from '../../../contract/events.ts';
import { withPhonesMasked } from '../../kit/output/phones.ts';
import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { prose } from '../../kit/output/width.ts';
import type { CellValue, Show, StreamLine } from '../../kit/result/result.ts';
import { statusOf, subjectOf } from '../events/event-columns.ts';
import type { Arrived, Failed, Forwarded, Line, Ready } from './lines.ts';
import { isAway } from './receiver.ts';

/** What `listen` tells, for people and for programs. */
export function streamLine(line: Line): StreamLine {
  return { data: line, line: (show) => prose(textOf(line, show), show.room), rows: [rowOf(line)] };
}

function textOf(line: Line, show: Show): string {
  switch (line.type) {
    case 'ready':
      return readyText(line, show);
    case 'event':
      return eventText(line.event, '', show);
    case 'down':
      return `${show.status('down')}  ${line.reason} Events wait until it answers.${certificateText(line.reason)}`;
    case 'up':
      return `${show.status('up')}  ${line.url} answers again.`;
    case 'arrived':
      return arrivedText(line, show);
    default:
      return eventText(line.event, outcomeText(line, show), show) + responseText(line, show);
  }
}

function certificateText(reason: string): string {
  return reason.includes('TLS: ') ? ' --skip-verify takes any certificate.' : '';
}

function readyText({ profile, mode, forward_to, routes, events, sink, secret }: Ready, show: Show): string {
  const rest = forward_to === null ? 'shown only' : `→ ${forward_to}`;
  return [
    `${show.strong(`Listening on ${profile} · ${mode} mode`)} ${rest}`,
    ...routes.map(({ pattern, url }) => `  ${pattern} → ${url}`),
    ...(events === null ? [] : [show.dim(`  Events: ${events.join(', ')}`)]),
    ...(sink === null ? [] : [show.dim(`  A sink listens there: waybill webhooks create ${sink}`)]),
    ...(secret === undefined ? [] : [`  Secret: ${secret}`]),
  ].join('\n');
}

/** `→ ok 200 in 12 ms` */
function outcomeText(line: Forwarded | Failed, show: Show): string {
  const again = line.resent === true ? ', sent again' : '';
  const timed = `${line.status_code} in ${line.duration_ms} ms`;
  if (line.type === 'forwarded') return `→ ${show.status('ok')} ${timed}${again}`;
  const answer = line.status_code === null ? line.reason : timed;
  return `→ ${show.status('failed')} ${answer}${again}${nextText(line)}`;
}

function nextText({ status_code, retry_in_ms, attempt, resent }: Failed): string {
  if (resent === true) return '';
  if (retry_in_ms === null) return `, given up after ${attempt} attempts`;
  if (status_code === null) return ' Tried again until it answers.';
  return isAway(status_code) ? ', again until it answers otherwise' : `, again in ${retry_in_ms / 1000} s`;
}

/** What the server answered to an attempt that failed, in a line below: its beginning. */
function responseText(line: Forwarded | Failed, { room, dim }: Show): string {
  if (line.type === 'forwarded' || line.response.trim() === '') return '';
  const text = oneLine(withPhonesMasked(line.response.trim().replace(/\s+/g, ' ')));
  const most = Math.max(idWidth, (room ?? longestResponse) - idIndent - 2);
  const shown = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return `\n${' '.repeat(idIndent)}${dim(`← ${shown}`)}`;
}

function arrivedText({ number, event_id, event_type, answer }: Arrived, show: Show): string {
  const what = [event_type, event_id].filter((part) => part !== null).join('  ');
  return `${show.dim(`sink ← #${number}`)}  ${what === '' ? 'no webhook' : oneLine(what)}  ${answer}`;
}

const typeWidth = 'route_quotes.completed'.length;
const idWidth = 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV'.length;
const statusWidth = 'driver_not_assigned'.length;
/** Below the type. */
const idIndent = 7;
/** Columns that all of a line takes. */
const wholeLine = 5 + typeWidth + 2 * idWidth + statusWidth + 32;
/** Columns that both ids take. */
const idsLine = idIndent + 2 * idWidth + 2;
/** Columns of a response where nobody knows how many there are. */
const longestResponse = 200;

/** An event in as many lines as the terminal makes needful: when, what, of what, and what came of it. */
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

/** Nothing is cut or broken: ids are copied from here. */
function rowText(cells: readonly Cell[], indent: number): string {
  return alignedRows([cells], { room: null, indent }).join('');
}

/** For programs that read lines. */
function rowOf(line: Line): CellValue[] {
  switch (line.type) {
    case 'ready':
      return [line.type, line.forward_to, line.profile, line.mode, line.secret];
    case 'event':
      return [line.type, ...eventCells(line.event)];
    case 'down':
      return [line.type, line.url, line.reason];
    case 'up':
      return [line.type, line.url];
    case 'arrived':
      return [line.type, line.number, line.event_type, line.event_id, line.answer];
    default:
      return [
        line.type,
        ...eventCells(line.event),
        line.url,
        line.status_code,
        line.duration_ms,
        line.attempt,
        ...(line.type === 'failed' ? [line.reason] : []),
      ];
  }
}

/** When, its type, its id, and the record that it tells of with how that stood. */
export function eventCells(event: Event): CellValue[] {
  return [event.created_at, event.type, event.id, subjectOf(event), statusOf(event)];
}
