import type { Dispatcher } from 'undici';
import { readRetryAfter } from '../../contract/errors.ts';
import type { CourierHttp } from '../../providers/courier-provider.ts';
import { ProviderBusy, ProviderFault } from '../../providers/port.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import { openAgent, send } from './http-send.ts';
import type { Web } from './network.ts';
import type { Clock, Timers } from './time.ts';

/** From the start of a request to the last byte of its response. */
const limit_ms = 8_000;
/** The wait after a 429 response that does not say how long. */
const usual_wait_ms = 2_000;

interface CourierHttpParts {
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
    agent ??= openAgent(parts, limit_ms);
    const response = await send(
      await agent,
      { ...request, origin, path: url.pathname + url.search, limit_ms },
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
