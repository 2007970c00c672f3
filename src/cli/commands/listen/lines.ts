/** The lines that `listen` writes: their fields, and their text for people. */
import type { Event } from '../../../contract/events.ts';
import { oneLine, withContactsMasked } from '../../kit/output/safe-text.ts';
import { wrapProse } from '../../kit/output/terminal-lines.ts';
import type { CellValue, Formatters, StreamLine } from '../../kit/result/result.ts';
import { eventCells, eventText, idIndent, idWidth } from '../../nouns/event.ts';

/** The stream is open. */
export interface Ready {
  type: 'ready';
  profile: string;
  mode: 'test' | 'live';
  forward_to: string;
  /** Null: all types except those sent only by name. */
  events: readonly string[] | null;
  /** The script of the local receiver, if one runs. */
  sink: string | null;
  /** Only if it was requested. */
  secret?: string;
}

interface Outcome {
  event: Event;
  url: string;
  /** Null without a response. */
  status_code: number | null;
  /** Wall time. */
  duration_ms: number;
  /** Starts at 1. */
  attempt: number;
}

export interface Forwarded extends Outcome {
  type: 'forwarded';
}

export interface Failed extends Outcome {
  type: 'failed';
  reason: string;
  /** The start of the response; empty if it had no body. */
  response: string;
  /** The delay until the next attempt; null if the event is given up. */
  retry_in_ms: number | null;
}

/** A destination that is unreachable, or reachable again. */
interface Down {
  type: 'down';
  url: string;
  reason: string;
}

interface Up {
  type: 'up';
  url: string;
}

/** An attempt that arrived at the local receiver, and its response. */
export interface Arrived {
  type: 'arrived';
  number: number;
  /** Null if the request is not a webhook. */
  event_id: string | null;
  event_type: string | null;
  /** The response, as written in the script. */
  answer: string;
}

export type Line = Ready | Forwarded | Failed | Down | Up | Arrived;

/** The statuses that a proxy responds with if its server is down. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** True if there was no response, or only that of a proxy. */
export function isAway(status_code: number | null): boolean {
  return status_code === null || awayStatuses.has(status_code);
}

/** Formats a line of `listen`, for people and for programs. */
export function streamLine(line: Line): StreamLine {
  return { data: line, line: (show) => wrapProse(lineText(line, show), show.room), rows: [rowOf(line)] };
}

function lineText(line: Line, show: Formatters): string {
  switch (line.type) {
    case 'ready':
      return readyText(line, show);
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

function readyText({ profile, mode, forward_to, events, sink, secret }: Ready, show: Formatters): string {
  return [
    `${show.strong(`Listening on ${profile} · ${mode} mode`)} → ${forward_to}`,
    ...(events === null ? [] : [show.dim(`  Events: ${events.join(', ')}`)]),
    ...(sink === null ? [] : [show.dim(`  A sink listens there: waybill webhooks create ${sink}`)]),
    ...(secret === undefined ? [] : [`  Secret: ${secret}`]),
  ].join('\n');
}

/** `→ ok 200 in 12 ms` */
function outcomeText(line: Forwarded | Failed, show: Formatters): string {
  const timed = `${line.status_code} in ${line.duration_ms} ms`;
  if (line.type === 'forwarded') return `→ ${show.status('ok')} ${timed}`;
  const answer = line.status_code === null ? line.reason.replace(/\.$/, '') : timed;
  return `→ ${show.status('failed')} ${answer}${nextText(line)}`;
}

function nextText({ status_code, retry_in_ms, attempt }: Failed): string {
  if (retry_in_ms === null) return `, given up after ${attempt} attempts`;
  if (status_code === null) return ', tried again until it answers';
  return isAway(status_code) ? ', again until it answers otherwise' : `, again in ${retry_in_ms / 1000} s`;
}

/** The start of the error response, for a line below the attempt. */
function responseText(line: Forwarded | Failed, { room, dim }: Formatters): string {
  if (line.type === 'forwarded' || line.response.trim() === '') return '';
  const text = oneLine(withContactsMasked(line.response.trim().replace(/\s+/g, ' ')));
  const width = Math.max(idWidth, (room ?? max_response_width) - idIndent - 2);
  const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return `\n${' '.repeat(idIndent)}${dim(`← ${shown}`)}`;
}

function arrivedText({ number, event_id, event_type, answer }: Arrived, show: Formatters): string {
  const what = [event_type, event_id].filter((part) => part !== null).join('  ');
  return `${show.dim(`sink ← #${number}`)}  ${what === '' ? 'no webhook' : oneLine(what)}  ${answer}`;
}

/** The width of a response if the terminal's is unknown. */
const max_response_width = 200;

/** The cells for programs that read lines. */
function rowOf(line: Line): CellValue[] {
  switch (line.type) {
    case 'ready':
      return [line.type, line.forward_to, line.profile, line.mode, line.secret];
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
