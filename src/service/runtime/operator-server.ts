import type { Dispatcher } from 'undici';
import type { CourierHttpResponse } from '../../providers/courier.ts';
import { ProviderFault } from '../../providers/port.ts';
import type { ServiceConfig } from './context.ts';
import { openAgent, send } from './http-send.ts';

type Parts = Pick<ServiceConfig, 'web' | 'timers' | 'circuits' | 'onFault'>;

/** A server that the operator has set: a geocoder or a router. The service works without it. */
export interface OperatorServer {
  /**
   * Sends a GET request and reads the response; null if there is none in time, if `read` throws, or while the server
   * has failed repeatedly. The first fault in a row is reported.
   */
  ask: <T>(path: string, read: (response: CourierHttpResponse) => T) => Promise<T | null>;
  /** Whether the latest request had no answer. */
  isFailing: () => boolean;
}

/** The circuit breaker of the server belongs to no account. */
const scope = { account_id: '', test_mode: false };

/** `effect` says what happens without the server, as the end of the report. */
export function createOperatorServer(
  { url, limit_ms, what, effect }: { url: string; limit_ms: number; what: string; effect: string },
  parts: Parts,
): OperatorServer {
  const base = new URL(url);
  const prefix = base.pathname.replace(/\/+$/, '');
  const breaker = parts.circuits.of(scope, base.host);
  let agent: Promise<Dispatcher> | undefined;
  let hasFailed = false;
  const headers = { 'user-agent': 'waybill', accept: 'application/json' };
  return {
    isFailing: () => hasFailed,
    ask: async (path, read) => {
      if (breaker.enter() > 0) return null;
      try {
        agent ??= openAgent({ ...parts, allows_private: true }, limit_ms);
        const place = { url, origin: base.origin, path: `${prefix}${path}` };
        const response = await send(await agent, { method: 'GET', headers, limit_ms, ...place }, parts);
        const answer = read(response);
        breaker.recordSuccess();
        hasFailed = false;
        return answer;
      } catch (fault) {
        breaker.recordFault();
        if (!hasFailed) parts.onFault?.(`${what} ${reasonIn(fault, base.host)}; ${effect}`, null);
        hasFailed = true;
        return null;
      }
    },
  };
}

/** Why a request failed, with the host: a `ProviderFault` names it already. */
function reasonIn(fault: unknown, host: string): string {
  if (fault instanceof ProviderFault) return fault.message;
  return `${host}: ${fault instanceof Error ? fault.message : String(fault)}`;
}
