import type { Exchange } from '../../../client/retries.ts';
import type { WireRequest } from '../../../contract/wire.ts';
import type { Target } from '../../settings/settings.ts';
import { withPhonesMasked } from '../output/phones.ts';
import { redacted, shownHeader } from '../output/redaction.ts';
import { escapedJson, oneLine, sanitized } from '../output/sanitize.ts';

/** The request as a curl command, with the key as a variable. */
export function curlCommand(request: WireRequest, target: Target): string {
  const headers = Object.entries(request.headers).map(([name, value]) =>
    name === 'x-api-key' ? `-H "x-api-key: $WAYBILL_API_KEY"` : `-H ${quoted(oneLine(`${name}: ${value}`))}`,
  );
  const body = request.body === '' ? [] : [`--data-raw ${quoted(shownBody(request.body))}`];
  const method = request.method === 'GET' ? [] : [`-X ${request.method}`];
  // A stream is shown as it comes.
  const asItComes = request.headers.accept === 'text/event-stream' ? ['-N'] : [];
  return ['curl', ...asItComes, ...method, urlWord(request, target), ...headers, ...body].join(' \\\n  ');
}

/** The same JSON, with what a terminal obeys as escapes. */
function shownBody(body: string): string {
  try {
    JSON.parse(body);
    return escapedJson(body.replaceAll('\r', ''));
  } catch {
    return sanitized(body);
  }
}

/** The embedded service has no address: the variable stands for one that `waybill serve` gives. */
function urlWord(request: WireRequest, target: Target): string {
  if (target.kind === 'embedded')
    return `"\${WAYBILL_BASE_URL:?is the address that waybill serve tells}"${quoted(request.path)}`;
  return quoted(target.baseUrl.replace(/\/+$/, '') + request.path);
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The request as data for `--dry-run`, secrets cut. */
export function shownRequest(request: WireRequest, target: Target): Record<string, unknown> {
  return {
    dry_run: true,
    method: request.method,
    url: target.kind === 'embedded' ? request.path : target.baseUrl.replace(/\/+$/, '') + request.path,
    headers: Object.fromEntries(shownHeaders(request.headers)),
    body: jsonOrText(request.body),
  };
}

/** The request as people read one. */
export function requestText(request: WireRequest, target: Target): string {
  const place = target.kind === 'embedded' ? '' : target.baseUrl.replace(/\/+$/, '');
  const headers = shownHeaders(request.headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`${request.method} ${place}${request.path}`, ...headers];
  return [...lines, ...(request.body === '' ? [] : ['', prettyBody(request.body)])].join('\n');
}

/** Both sides of an exchange for `--debug`: logs outlive their use, so that phones are masked in them too. */
export function exchangeText(exchange: Exchange, { showPii }: { showPii: boolean }): string {
  const key = exchange.request.headers['x-api-key'] ?? '';
  const text = redacted(sanitized(bothSides(exchange)), [key]);
  return showPii ? text : withPhonesMasked(text);
}

function bothSides({ request, response, error, attempt, duration_ms, retry_in_ms }: Exchange): string {
  const sent = [
    `${request.method} ${request.path}`,
    ...headerLines(request.headers),
    ...bodyLines(request.body),
  ];
  const got =
    response === null
      ? [`no answer: ${error?.message ?? ''}`]
      : [`${response.status}`, ...headerLines(response.headers), ...bodyLines(response.body)];
  const end = `  attempt ${attempt}, ${Math.round(duration_ms)} ms`;
  const again = retry_in_ms === null ? '' : `, again in ${retry_in_ms} ms`;
  return [...sent.map((line) => `> ${line}`), ...got.map((line) => `< ${line}`), end + again].join('\n');
}

function shownHeaders(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, oneLine(shownHeader(name, value))]);
}

function headerLines(headers: Record<string, string>): string[] {
  return shownHeaders(headers).map(([name, value]) => `${name}: ${value}`);
}

function bodyLines(body: string): string[] {
  return body === '' ? [] : body.split('\n');
}

function prettyBody(body: string): string {
  const data = jsonOrText(body);
  return typeof data === 'string' ? data : escapedJson(JSON.stringify(data, null, 2));
}

function jsonOrText(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(redacted(body));
  } catch {
    return redacted(sanitized(body));
  }
}
