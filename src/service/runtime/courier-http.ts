import type { Dispatcher } from 'undici';
import { readRetryAfter } from '../../contract/errors.ts';
import type { CourierHttpRequest, CourierHttpResponse } from '../../providers/courier.ts';
import type { CourierHttp } from '../../providers/courier-provider.ts';
import { ProviderBusy, ProviderFault } from '../../providers/port.ts';
import { isPrivate, refusedAs } from './address-policy.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import { createConnector, type Destination, reasonOf } from './connector.ts';
import type { Web } from './network.ts';
import type { Clock, Timers } from './time.ts';

/** From the start of a request to the last byte of its response. */
const limit_ms = 8_000;
/** Pictures of a handover are the largest responses. */
const max_response_bytes = 4 * 1024 * 1024;
/** The wait after a 429 response that does not say how long. */
const usual_wait_ms = 2_000;

export interface CourierHttpParts {
  timers: Timers;
  wall: Clock;
  circuits: CircuitBreakers;
  web: Web;
  /**
   * Whether couriers may be on this machine or in its private networks: merchants name the addresses of some, and could
   * otherwise reach others' ports through the service.
   */
  allows_private: boolean;
  /** Tests send the requests for a host to another origin. */
  hosts?: Readonly<Record<string, string>>;
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
    agent ??= openAgent(parts);
    const response = await send(
      await agent,
      { ...request, origin, path: url.pathname + url.search },
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
    const asked_ms = readRetryAfter(response.headers['retry-after'], parts.wall.now());
    throw busy(`${url.host} answered 429`, asked_ms ?? usual_wait_ms);
  };
}

function busy(message: string, wait_ms: number): ProviderBusy {
  return new ProviderBusy(message, Math.ceil(wait_ms / 1000));
}

/** HTTP/1.1 with kept-alive connections to allowed addresses; undici is loaded with the first request. */
async function openAgent({ web, timers, allows_private, hosts = {} }: CourierHttpParts): Promise<Dispatcher> {
  const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
  const connector = createConnector({ web, timers }, limit_ms, (address, to) =>
    refusalOf(address, to, allows_private),
  );
  const fakes = createConnector({ web, timers }, limit_ms, () => null);
  const isFake = ({ port }: Destination) =>
    Object.values(hosts).some((origin) => new URL(origin).port === port);
  return new Agent({
    allowH2: false,
    // A request has one time-out as a whole; undici's own limits cover only parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (to, connected) => {
      (isFake(to) ? fakes : connector).connect(to).then(
        (connection) => connected(null, connection),
        (fault) => connected(new Error(reasonOf(fault)), null),
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
}

/** Sends one request. Rejects with `ProviderFault` unless the whole response arrives in time. */
function send(
  agent: Dispatcher,
  sent: SentRequest,
  { timers }: CourierHttpParts,
): Promise<CourierHttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<CourierHttpResponse>();
  const { method, origin, path, headers, body = null, body_as = 'utf8' } = sent;
  const fail = (why: string) => reject(new ProviderFault(`${new URL(sent.url).host} ${why}`));
  const response = { status: 0, headers: {}, body: '' };
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
      onResponseEnd: () => resolve({ ...response, body: Buffer.concat(chunks).toString(body_as) }),
      onResponseError: (_controller, fault) => fail(`did not answer: ${fault.message}`),
    },
  );
  return promise;
}

function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    [value].flat().join(', '),
  ]);
  return Object.fromEntries(entries);
}
