import { withContactsMasked } from '../../kit/output/masking.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { prose } from '../../kit/output/wrapping.ts';
import type { CellValue, Show, StreamLine } from '../../kit/result/result.ts';
import { eventCells, eventText, idIndent, idWidth } from '../../nouns/event.ts';
import type { Arrived, Failed, Forwarded, Line, Ready } from './lines.ts';
import { isAway } from './receiver.ts';

/** Formats a line of `listen`, for people and for programs. */
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
  const answer = line.status_code === null ? line.reason.replace(/\.$/, '') : timed;
  return `→ ${show.status('failed')} ${answer}${again}${nextText(line)}`;
}

function nextText({ status_code, retry_in_ms, attempt, resent }: Failed): string {
  if (resent === true) return '';
  if (retry_in_ms === null) return `, given up after ${attempt} attempts`;
  if (status_code === null) return ', tried again until it answers';
  return isAway(status_code) ? ', again until it answers otherwise' : `, again in ${retry_in_ms / 1000} s`;
}

/** The start of the error response, for a line below the attempt. */
function responseText(line: Forwarded | Failed, { room, dim }: Show): string {
  if (line.type === 'forwarded' || line.response.trim() === '') return '';
  const text = oneLine(withContactsMasked(line.response.trim().replace(/\s+/g, ' ')));
  const width = Math.max(idWidth, (room ?? max_response_width) - idIndent - 2);
  const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return `\n${' '.repeat(idIndent)}${dim(`← ${shown}`)}`;
}

function arrivedText({ number, event_id, event_type, answer }: Arrived, show: Show): string {
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
