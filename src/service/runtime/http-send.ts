import type { Dispatcher } from 'undici';
import type { CourierHttpRequest, CourierHttpResponse } from '../../providers/courier.ts';
import { ProviderFault } from '../../providers/port.ts';
import { isPrivate, refusedAs } from './address-policy.ts';
import type { Web } from './network.ts';
import { createConnector, type Destination, reasonOf } from './network.ts';
import type { Timers } from './time.ts';

/** Pictures of a handover are the largest responses. */
const max_response_bytes = 4 * 1024 * 1024;

interface AgentParts {
  timers: Timers;
  web: Web;
  /** Whether servers may be on this machine or in its private networks. */
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
  /** From the start of the request to the last byte of its response. */
  limit_ms: number;
}

/**
 * Sends one request, and follows no redirect. Rejects with `ProviderFault` unless the whole response arrives in time.
 */
export function send(
  agent: Dispatcher,
  sent: SentRequest,
  { timers }: Pick<AgentParts, 'timers'>,
): Promise<CourierHttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<CourierHttpResponse>();
  const { method, origin, path, headers, limit_ms, body = null, body_as = 'utf8' } = sent;
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

/** Headers as text, with their names in lower case. */
export function plainHeaders(headers: object): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    [value].flat().join(', '),
  ]);
  return Object.fromEntries(entries);
}
