/**
 * Sends requests to the servers of couriers and operators, within a time limit, and to allowed addresses only
 * (`createConnector`). Webhooks have a client of their own: see `webhooks/delivery/http-post.ts`.
 */
import type { Dispatcher } from 'undici';
import { readRetryAfter } from '../../contract/errors.ts';
import { decodeBody } from '../../domain/encoded-body.ts';
import type { CourierHttpRequest, CourierHttpResponse } from '../../providers/courier.ts';
import type { CourierHttp } from '../../providers/courier-provider.ts';
import { type Provider, ProviderBusy, ProviderFault } from '../../providers/port.ts';
import { isPrivate, refusedAs } from './address-policy.ts';
import type { CircuitBreakers } from './circuit-breakers.ts';
import { createConnector, type Destination, type Web } from './network.ts';
import { explainNetworkError } from './network-errors.ts';
import { atMost, type Clock, type Timers } from './time.ts';

/** The usual time limit of one call to a provider; shorter than the time after which a task counts as hung. */
const answer_limit_ms = 5_000;

/**
 * Resolves with a provider's response, or rejects with `ProviderFault` after the timeout. The effect of a call that
 * timed out is unknown, as with any lost response.
 */
export async function withTimeout<T>(
  { timers }: { timers: Timers },
  call: Promise<T>,
  { time_limit_ms = answer_limit_ms }: Pick<Provider, 'time_limit_ms'>,
): Promise<T> {
  return atMost(timers, time_limit_ms, call, () => {
    throw new ProviderFault('the provider did not respond in time');
  });
}

/** From the start of a request to the last byte of its response. */
const request_limit_ms = 8_000;
/** The wait after a 429 response that does not say how long. */
const usual_wait_ms = 2_000;

interface CourierHttpParts extends AgentParts {
  wall: Clock;
  circuits: CircuitBreakers;
}

/** Sends requests to couriers, with a circuit breaker for each account, mode and host. See `CourierPorts`. */
export function createCourierHttp(parts: CourierHttpParts): CourierHttp {
  let agent: Promise<Dispatcher> | undefined;
  return (scope) => async (request) => {
    const url = new URL(request.url);
    const origin = parts.hosts?.[url.host] ?? url.origin;
    const breaker = parts.circuits.of(scope, url.host);
    const wait_ms = breaker.enter();
    if (wait_ms > 0) throw busy(`${url.host} has failed repeatedly and is not called`, wait_ms);
    agent ??= openAgent(parts, request_limit_ms);
    const response = await sendOnce(
      await agent,
      { ...request, origin, path: url.pathname + url.search, limit_ms: request_limit_ms },
      parts,
    ).catch((fault: unknown) => {
      breaker.recordFault();
      throw fault;
    });
    if (response.status >= 500 && request.isAnswer?.(response) !== true) {
      breaker.recordFault();
      throw new ProviderFault(`${url.host} answered ${response.status}`);
    }
    breaker.recordSuccess();
    if (response.status !== 429) return response;
    const asked_ms = readRetryAfter(response.headers, parts.wall.now());
    throw busy(`${url.host} answered 429`, asked_ms ?? usual_wait_ms);
  };
}

function busy(message: string, wait_ms: number): ProviderBusy {
  return new ProviderBusy(message, Math.ceil(wait_ms / 1000));
}

/** Pictures of a handover are the largest responses. */
const max_response_bytes = 4 * 1024 * 1024;

interface AgentParts {
  timers: Timers;
  web: Web;
  /**
   * Whether servers may be on this machine or in its private networks: merchants name the addresses of some, and could
   * otherwise reach others' ports through the service.
   */
  allows_private: boolean;
  /** Tests send the requests for a host to another origin. */
  hosts?: Readonly<Record<string, string>>;
}

/** HTTP/1.1 with kept-alive connections to allowed addresses; undici is loaded with the first request. */
export async function openAgent(
  { web, timers, allows_private, hosts = {} }: AgentParts,
  limit_ms: number,
): Promise<Dispatcher> {
  const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
  const connector = createConnector({ web, timers }, limit_ms, (address, to) =>
    refusalOf(address, to, allows_private),
  );
  const fakes = createConnector({ web, timers }, limit_ms, () => null);
  const fakeHosts = new Set(Object.values(hosts).map((origin) => new URL(origin).host));
  return new Agent({
    allowH2: false,
    // A request has one time-out as a whole; undici's own limits cover only parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (to, connected) => {
      (fakeHosts.has(`${to.hostname}:${to.port}`) ? fakes : connector).connect(to).then(
        (connection) => connected(null, connection),
        (fault) => connected(new Error(explainNetworkError(fault)), null),
      );
    },
  });
}

/** Orders have names, addresses and phone numbers, which are sent unencrypted in private networks only. */
function refusalOf(address: string, { protocol }: Destination, allows_private: boolean): string | null {
  const refused = refusedAs(address, 'refused');
  if (isPrivate(address))
    return allows_private ? null : `${refused}, and the service runs without --allow-private-couriers`;
  if (refused !== null) return `${refused}, which is not allowed`;
  return protocol === 'http:' ? 'a public address, which needs https://' : null;
}

interface SentRequest extends CourierHttpRequest {
  origin: string;
  path: string;
  /** From the start of the request to the last byte of its response. */
  limit_ms: number;
}

/**
 * Sends one request, and follows no redirect. Rejects with `ProviderFault` unless the whole response arrives in time.
 */
export function sendOnce(
  agent: Dispatcher,
  sent: SentRequest,
  { timers }: Pick<AgentParts, 'timers'>,
): Promise<CourierHttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<CourierHttpResponse>();
  const { method, origin, path, headers, limit_ms, body = null, body_as = 'utf8' } = sent;
  const fail = (why: string) => reject(new ProviderFault(`${new URL(sent.url).host} ${why}`));
  const response: CourierHttpResponse = { status: 0, headers: {}, body: '' };
  const chunks: Buffer[] = [];
  let size = 0;
  let abort = (_why: string): void => {};
  const cancel = timers.after(limit_ms, () => {
    const why = `did not answer within ${limit_ms / 1000} s`;
    fail(why);
    abort(why);
  });
  promise.then(cancel, cancel);
  agent.dispatch(
    { method, origin, path, headers, body },
    {
      onRequestStart: (controller) => {
        abort = (why) => controller.abort(new Error(why));
      },
      onResponseStart: (_controller, status, received) => {
        if (status >= 200) Object.assign(response, { status, headers: plainHeaders(received) });
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= max_response_bytes) return;
        const why = `sent more than ${max_response_bytes} bytes`;
        fail(why);
        abort(why);
      },
      onResponseEnd: () => {
        const { 'content-encoding': encoding = '' } = response.headers;
        const bytes = Buffer.concat(chunks);
        const plain =
          encoding === '' ? Promise.resolve(bytes) : decodeBody(bytes, encoding, max_response_bytes);
        plain.then((body) => resolve({ ...response, body: body.toString(body_as) }), reject);
      },
      onResponseError: (_controller, fault) => fail(`did not answer: ${fault.message}`),
    },
  );
  return promise;
}

/** Headers as text, with their names in lower case. */
export function plainHeaders(headers: object): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    [value].flat().join(', '),
  ]);
  return Object.fromEntries(entries);
}
