/** Requests as text: as a curl command, for --dry-run, and with the response for --debug. */
import type { Exchange } from '../../client/retries.ts';
import type { WireRequest } from '../../contract/operation.ts';
import {
  escapedJson,
  oneLine,
  redacted,
  sanitized,
  shownHeader,
  withContactsMasked,
} from '../kit/output/safe-text.ts';
import { product } from '../kit/product.ts';
import { quoted } from '../kit/result/message.ts';

/** A request as it may be shown: without the values of a courier's settings, some of which are secret. */
export function shownRequestOf<T extends Pick<WireRequest, 'path' | 'body'>>(request: T): T {
  const hasSettings = /^\/v2\/couriers\/[^/]+$/.test(request.path) && request.body !== '';
  return hasSettings ? { ...request, body: withoutSettings(request.body) } : request;
}

const hidden = '…';

function withoutSettings(body: string): string {
  try {
    const { settings } = JSON.parse(body);
    const names = Object.keys(settings);
    return JSON.stringify({ settings: Object.fromEntries(names.map((name) => [name, hidden])) });
  } catch {
    return hidden;
  }
}

/** The request as a curl command, with the key as a variable. Without a base URL, a variable stands for it too. */
export function curlCommand(request: WireRequest, baseUrl: string | null): string {
  const headers = Object.entries(request.headers).map(([name, value]) =>
    name === 'x-api-key'
      ? `-H "x-api-key: $${product.environment_prefix}API_KEY"`
      : `-H ${quoted(oneLine(`${name}: ${value}`))}`,
  );
  const body = request.body === '' ? [] : [`--data-raw ${quoted(shownBody(request.body))}`];
  const method = request.method === 'GET' ? [] : [`-X ${request.method}`];
  // curl shows a stream as it arrives.
  const unbuffered = request.headers.accept === 'text/event-stream' ? ['-N'] : [];
  return ['curl', ...unbuffered, ...method, urlWord(request, baseUrl), ...headers, ...body].join(' \\\n  ');
}

/** A body as JSON that a terminal can show: its control characters are escaped. */
function shownBody(body: string): string {
  try {
    JSON.parse(body);
    return escapedJson(body.replaceAll('\r', ''));
  } catch {
    return sanitized(body);
  }
}

/** The URL as a word of a shell; for the embedded service a variable stands for that of `waybill serve`. */
function urlWord(request: WireRequest, baseUrl: string | null): string {
  if (baseUrl === null)
    return `"\${${product.environment_prefix}BASE_URL:?is the address that ${product.name} serve tells}"${quoted(request.path)}`;
  return quoted(urlOf(request, baseUrl));
}

/** The URL of a request; only its path without a base URL. */
function urlOf({ path }: WireRequest, baseUrl: string | null): string {
  return (baseUrl ?? '').replace(/\/+$/, '') + path;
}

/** The request as data for `--dry-run`, with secrets shortened. */
export function shownRequest(request: WireRequest, baseUrl: string | null): Record<string, unknown> {
  return {
    dry_run: true,
    method: request.method,
    url: urlOf(request, baseUrl),
    headers: Object.fromEntries(shownHeaders(request.headers)),
    body: jsonOrText(request.body),
  };
}

/** Formats the request for people. */
export function requestText(request: WireRequest, baseUrl: string | null): string {
  const headers = shownHeaders(request.headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`${request.method} ${urlOf(request, baseUrl)}`, ...headers];
  return [...lines, ...(request.body === '' ? [] : ['', prettyBody(request.body)])].join('\n');
}

/** Formats both sides of an exchange for `--debug`. Logs are kept, so phone numbers are masked. */
export function exchangeText(exchange: Exchange, { showPii }: { showPii: boolean }): string {
  const key = exchange.request.headers['x-api-key'] ?? '';
  const text = redacted(sanitized(exchangeLines(exchange)), [key]);
  return showPii ? text : withContactsMasked(text);
}

function exchangeLines({ request, response, error, attempt, duration_ms, retry_in_ms }: Exchange): string {
  const sent = [
    `${request.method} ${request.path}`,
    ...headerLines(request.headers),
    ...bodyLines(request.body),
  ];
  const received =
    response === null
      ? [`no answer: ${error?.message ?? ''}`]
      : [`${response.status}`, ...headerLines(response.headers), ...bodyLines(response.body)];
  const end = `  attempt ${attempt}, ${Math.round(duration_ms)} ms`;
  const retry = retry_in_ms === null ? '' : `, again in ${retry_in_ms} ms`;
  return [...sent.map((line) => `> ${line}`), ...received.map((line) => `< ${line}`), end + retry].join('\n');
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

/** A body as data if it is JSON, as text otherwise; null if it is empty. */
function jsonOrText(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(redacted(body));
  } catch {
    return redacted(sanitized(body));
  }
}
