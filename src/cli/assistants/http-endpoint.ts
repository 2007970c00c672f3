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
import type { ReceivedRequest, Transport, WireResponse } from '../../contract/operation.ts';
import type { Context } from '../session/command.ts';
import { errorResponse, readText, webRequest, wireResponse } from './http-messages.ts';
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
  account_id: string;
  context: Context;
  offer: Offer;
}

/** The caller of a request, or why it is refused; with the headers of the response, and the entry in the log. */
type Identified = { headers: Record<string, string>; handled: Handled } & (
  | { caller: Caller }
  | { refusal: WireResponse }
);

const mcp_path = '/mcp';
const max_body_bytes = 1024 * 1024;
/** The requests of an account and mode at a time: a tool may wait for minutes. */
const max_open = 20;
const busy_retry_seconds = 5;

/** Answers the requests to `/mcp`, and leaves all others to the service. */
export function createMcpEndpoint<R extends WireResponse & { handled: Handled }>(
  context: Context,
  fetch: Answering<R>,
  settings: McpSettings,
): Answering<R | (WireResponse & { handled: Handled })> {
  const identify = createIdentification(context, fetch, settings);
  const answer = createToolAnswers(settings);
  return async (request) => {
    if (request.path.split('?')[0] !== mcp_path) return fetch(request);
    const identified = await identify(request).catch(
      (error: unknown): Identified => ({ ...unknownCaller, refusal: refusalOf(error) }),
    );
    const { headers, handled } = identified;
    const answered =
      'refusal' in identified
        ? identified.refusal
        : await answer(request, identified.caller).catch(refusalOf);
    const ownHeaders = { ...headers, ...answered.headers };
    return { ...answered, headers: withChallenge(answered.status, ownHeaders), handled };
  };
}

/**
 * Has the protocol's package answer requests. The function throws Problem if the body is too large, or the account has too
 * many requests open.
 */
function createToolAnswers({ public_url }: McpSettings) {
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
  return async (request: ReceivedRequest, caller: Caller): Promise<WireResponse> => {
    const { account_id } = caller;
    const abort = new AbortController();
    const leave = enter(`${account_id} ${caller.offer.mode}`);
    try {
      const text = await readText(request, { holder: account_id, max_bytes: max_body_bytes });
      const authInfo: AuthInfo = { token: '', clientId: account_id, scopes: [] };
      callers.set(authInfo, caller);
      const url = new URL(mcp_path, public_url);
      const response = await handler.fetch(webRequest(request, { text, url, signal: abort.signal }), {
        authInfo,
      });
      return await wireResponse(response, { abort, leave });
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** Asks the service whose key a request has. Throws Problem if it has none, or is not for this server. */
function createIdentification<R extends WireResponse & { handled: Handled }>(
  context: Context,
  fetch: Answering<R>,
  { public_url, live_max_cost }: McpSettings,
): (request: ReceivedRequest) => Promise<Identified> {
  const hosts = ['localhost', new URL(public_url).hostname];
  return async (request: ReceivedRequest): Promise<Identified> => {
    checkNames(request, hosts);
    const apiKey = bearerOf(request);
    if (apiKey === '') throw new Problem('unauthorized', noKeyText);
    const { client_address } = request;
    const from = client_address === undefined ? {} : { client_address };
    const response = await fetch({ ...accountRequest(apiKey), ...from });
    const handled = { ...response.handled, operation: 'Mcp' };
    const headers = sharedHeaders(response.headers);
    if (response.status !== 200) return { headers, handled, refusal: refusalFrom(response) };
    const account: Account = JSON.parse(response.body);
    const mode = account.test_mode ? 'test' : 'live';
    if (mode === 'live' && live_max_cost === null)
      return { headers, handled, refusal: problemResponse(new Problem('forbidden', noLiveText)) };
    const transport: Transport = (wire) => fetch({ ...wire, ...from });
    const caller: Caller = {
      account_id: account.account_id,
      context: context.forCaller({ transport, apiKey, mode, baseUrl: public_url }),
      offer: {
        mode,
        isReadOnly: account.permission === 'read',
        max_cost: mode === 'live' ? live_max_cost : null,
        has: (feature) => feature !== 'sandbox' || (mode === 'test' && account.sandbox),
      },
    };
    return { headers, handled, caller };
  };
}

const unknownCaller = {
  headers: {},
  handled: { operation: 'Mcp', account_id: null, mode: null, key_end: null },
};

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
function refusalFrom({ status, body }: WireResponse): WireResponse {
  const { code, message }: { code: string; message: string } = JSON.parse(body);
  return errorResponse(status, { code, message });
}

/** The refusal by a Problem; throws any other error. */
function refusalOf(error: unknown): WireResponse {
  if (error instanceof Problem) return problemResponse(error);
  throw error;
}

function problemResponse(problem: Problem): WireResponse {
  return errorResponse(errorTable[problem.code].status, problem);
}

/** Says how the key is sent, and when it may be worth another try. */
function withChallenge(status: number, headers: Record<string, string>): Record<string, string> {
  if (status === 401) return { ...headers, 'www-authenticate': 'Bearer realm="waybill"' };
  if (status !== 429) return headers;
  return { 'retry-after': String(busy_retry_seconds), ...headers };
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
