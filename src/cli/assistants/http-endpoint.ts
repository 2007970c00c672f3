/**
 * The tools for assistants at `/mcp` of the service: the protocol's Streamable HTTP without sessions. A request has its
 * API key as a bearer token, and a context of its own, whose requests go to the service as if that key had sent them:
 * its limits, permission, account and audit hold.
 */
import { isIP } from 'node:net';
import {
  type AuthInfo,
  createMcpHandler,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { Account } from '../../contract/accounts.ts';
import { errorTable, Problem } from '../../contract/errors.ts';
import type { ReceivedRequest, Transport, WireResponse, WireStream } from '../../contract/operation.ts';
import type { Context } from '../session/command.ts';
import { createMcpServer, type Offer } from './mcp-server.ts';

interface McpSettings {
  /** The address in links of the service. Its host is one that a request may name. */
  public_url: string;
  /** The most in cents that a shipment with a live key may cost; null: live keys are refused. */
  live_max_cost: number | null;
}

/** A handler of HTTP requests. */
type Answering<R> = (request: ReceivedRequest) => Promise<R>;

/** Whose request it was, for the log and the metrics. */
interface Handled {
  operation: string | null;
  account_id: string | null;
  mode: 'test' | 'live' | null;
  key_end: string | null;
}

/** Whose request it is, and what it is offered. */
interface Caller {
  context: Context;
  offer: Offer;
}

const mcp_path = '/mcp';
const max_body_bytes = 1024 * 1024;
/** The requests of an account and mode at a time: a tool may wait for minutes. */
const max_open = 20;
const busy_retry_seconds = 5;

/** Answers the requests to `/mcp`, and leaves all others to the service. */
export function createMcpEndpoint<R extends WireResponse & { handled: Handled }>(
  context: Context,
  fetch: Answering<R>,
  { public_url, live_max_cost }: McpSettings,
): Answering<R | (WireResponse & { handled: Handled })> {
  const hosts = ['localhost', new URL(public_url).hostname];
  const callers = new WeakMap<AuthInfo, Caller>();
  const enter = createOpenRequests();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo && callers.get(authInfo);
      if (caller === undefined) throw new Error('a request of MCP has no caller');
      return createMcpServer(caller.context, caller.offer);
    },
    { maxRequestBodySize: max_body_bytes },
  );
  const answer = async (request: ReceivedRequest, progress: Progress) => {
    checkNames(request, hosts);
    const apiKey = bearerOf(request);
    if (apiKey === '') throw new Problem('unauthorized', noKeyText);
    const { client_address } = request;
    const from = client_address === undefined ? {} : { client_address };
    const known = await fetch({ ...accountRequest(apiKey), ...from });
    progress.handled = { ...known.handled, operation: 'Mcp' };
    progress.headers = sharedHeaders(known.headers);
    if (known.status !== 200) return refusalFrom(known, progress.headers);
    const account: Account = JSON.parse(known.body);
    const mode = account.test_mode ? 'test' : 'live';
    if (mode === 'live' && live_max_cost === null) throw new Problem('forbidden', noLiveText);
    const abort = new AbortController();
    const leave = enter(`${account.account_id} ${mode}`);
    try {
      const text = await bodyOf(request, account.account_id);
      const transport: Transport = (wire) => fetch({ ...wire, ...from });
      const authInfo: AuthInfo = { token: '', clientId: account.account_id, scopes: [] };
      callers.set(authInfo, {
        context: context.forCaller({ transport, apiKey, mode, baseUrl: public_url }),
        offer: {
          mode,
          isReadOnly: account.permission === 'read',
          max_cost: mode === 'live' ? live_max_cost : null,
          has: (feature) => feature !== 'sandbox' || (mode === 'test' && account.sandbox),
        },
      });
      const asked = webRequest(request, { text, url: public_url, signal: abort.signal });
      const response = await handler.fetch(asked, { authInfo });
      return await wireResponse(response, { abort, leave });
    } catch (error) {
      leave();
      throw error;
    }
  };
  return async (request) => {
    if (request.path.split('?')[0] !== mcp_path) return fetch(request);
    const progress: Progress = { headers: {}, handled: unknownCaller };
    const { headers, ...answered } = await answer(request, progress).catch((error: unknown) => {
      if (error instanceof Problem) return errorResponse(errorTable[error.code].status, error, {});
      throw error;
    });
    return {
      ...answered,
      headers: withChallenge(answered.status, { ...progress.headers, ...headers }),
      handled: progress.handled,
    };
  };
}

/** The state of a request: the headers of its response, and its entry in the log. */
interface Progress {
  headers: Record<string, string>;
  handled: Handled;
}

const unknownCaller: Handled = { operation: 'Mcp', account_id: null, mode: null, key_end: null };

const noKeyText = 'No API key was sent. Send it as a bearer token: Authorization: Bearer KEY.';
const noLiveText =
  'This is a key for live mode, which the operator of this service has not allowed for assistants.';

/**
 * Refuses a request of a page that got a name of its own to point here (DNS rebinding). An address of a machine is no
 * such name.
 */
function checkNames({ headers }: ReceivedRequest, hosts: readonly string[]): void {
  const host = validateHostHeader(headers.host, [...hosts, ...numericHost(`http://${headers.host}`)]);
  if (!host.ok) throw new Problem('forbidden', `${host.message}. Set it with --public-url.`);
  const origin = validateOriginHeader(headers.origin, [...hosts, ...numericHost(headers.origin ?? '')]);
  if (!origin.ok) throw new Problem('forbidden', `${origin.message}: pages of other sites cannot use it.`);
}

/** The host of a URL, if it is the address of a machine. */
function numericHost(url: string): string[] {
  const { hostname = '' } = URL.parse(url) ?? {};
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? [] : [hostname];
}

function bearerOf({ headers: { authorization = '' } }: ReceivedRequest): string {
  const [, key = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return key;
}

/** The request that identifies the caller. The service counts it against the rate limit, for unknown keys by address. */
function accountRequest(key: string) {
  return { method: 'GET', path: '/v2/account', body: '', headers: { 'x-api-key': key } };
}

/** The headers that every answer of the service has, and those of its limits. */
function sharedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = ['x-request-id', 'x-service-time', 'cache-control', 'x-content-type-options'];
  const limits = ['ratelimit', 'ratelimit-policy', 'retry-after'];
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => names.includes(name) || limits.includes(name)),
  );
}

/** The refusal of a key by the service, as the protocol writes it. */
function refusalFrom({ status, body }: WireResponse, headers: Record<string, string>): WireResponse {
  const { code, message }: { code: string; message: string } = JSON.parse(body);
  return errorResponse(status, { code, message }, headers);
}

/** Says how the key is sent, and when it may be worth another try. */
function withChallenge(status: number, headers: Record<string, string>): Record<string, string> {
  if (status === 401) return { ...headers, 'www-authenticate': 'Bearer realm="waybill"' };
  if (status !== 429) return headers;
  return { 'retry-after': String(busy_retry_seconds), ...headers };
}

/** An error of JSON-RPC without the id of a request: it was not read. */
function errorResponse(
  status: number,
  { code, message }: { code: string; message: string },
  headers: Record<string, string>,
): WireResponse {
  const error = { code: -32_000, message, data: { code } };
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error }),
  };
}

/** Counts the open requests by name; throws `limit_reached` if there are too many. */
function createOpenRequests(): (name: string) => () => void {
  const open = new Map<string, number>();
  const add = (name: string, count: 1 | -1) => {
    const sum = (open.get(name) ?? 0) + count;
    if (sum === 0) open.delete(name);
    else open.set(name, sum);
  };
  return (name) => {
    if ((open.get(name) ?? 0) >= max_open) {
      const message = `This account has ${max_open} calls of tools open, the maximum. Retry in a moment.`;
      throw new Problem('limit_reached', message);
    }
    add(name, 1);
    let isOpen = true;
    return () => {
      if (isOpen) add(name, -1);
      isOpen = false;
    };
  };
}

/** The body as text. Throws `payload_too_large`. */
async function bodyOf({ body }: ReceivedRequest, holder: string): Promise<string> {
  if (typeof body === 'string') return body;
  let received = 0;
  const check = (bytes: number) => {
    if (bytes > max_body_bytes)
      throw new Problem('payload_too_large', `The body is larger than ${max_body_bytes} bytes.`);
  };
  const next = (chunk: Uint8Array) => {
    received += chunk.length;
    check(received);
  };
  return body({ length: check, next }, [`mcp ${holder}`]);
}

interface AskedRequest {
  text: string;
  url: string;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
}

function webRequest({ method, headers }: ReceivedRequest, { text, url, signal }: AskedRequest): Request {
  const { authorization: _, ...shown } = headers;
  const body = method === 'GET' || text === '' ? {} : { body: text };
  return new Request(new URL(mcp_path, url), { method, headers: plainHeaders(shown), signal, ...body });
}

/** The headers that say how to read the body and the answer, and those of the protocol. */
function plainHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) =>
      /^(accept|content-type|mcp-[a-z-]+|last-event-id)$/.test(name),
    ),
  );
}

interface Ending {
  abort: AbortController;
  leave: () => void;
}

/** Converts a response of the protocol's package: its whole body, or its event stream until either side closes it. */
async function wireResponse(response: Response, { abort, leave }: Ending): Promise<WireResponse> {
  const headers: Record<string, string> = Object.fromEntries(response.headers);
  const { status, body } = response;
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  if (!isStream || body === null) {
    const text = await response.text();
    leave();
    return { status, headers, body: text };
  }
  const close = () => {
    abort.abort();
    leave();
  };
  const stream: WireStream = { chunks: body.pipeThrough(new TextDecoderStream()), close };
  return { status, headers: { ...headers, 'x-accel-buffering': 'no' }, body: '', stream };
}
