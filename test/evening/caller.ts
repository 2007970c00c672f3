import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { certificate } from '../fakes/smtp/certificate.ts';

export interface Answer {
  status: number;
  /** The JSON of the body. */
  body: Record<string, unknown>;
}

/** A merchant's program: repeats a request until there is an answer, each change with an idempotency key. */
export interface Caller {
  get: (path: string) => Promise<Answer>;
  post: (path: string, body: unknown, idempotency_key: string) => Promise<Answer>;
  put: (path: string, body: unknown) => Promise<Answer>;
  /** All records of a list. */
  all: (path: string) => Promise<Record<string, unknown>[]>;
}

/** Requests by their status; 0: no answer. */
export type Statuses = Map<number, number>;

const agent = new Agent({ connect: { ca: certificate.cert }, connections: 64 });
const timeout_ms = 30_000;
const pause_ms = 200;
/** Longer than any outage of the evening. */
const max_repeats = 900;

export function createCaller(url: () => string, key: string, statuses: Statuses): Caller {
  const once = async (method: string, path: string, body?: unknown, idempotency_key?: string) => {
    try {
      const response = await fetch(`${url()}${path}`, {
        ...{ method, dispatcher: agent, signal: AbortSignal.timeout(timeout_ms) },
        headers: {
          ...{ 'x-api-key': key, 'content-type': 'application/json' },
          ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return { status: response.status, body: isJson ? JSON.parse(text) : { text } };
    } catch {
      return { status: 0, body: {} };
    }
  };
  const call = async (...request: Parameters<typeof once>): Promise<Answer> => {
    for (let repeats = 0; repeats < max_repeats; repeats += 1) {
      const answer: Answer = await once(...request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (!mustRepeat(answer)) return answer;
      await pause(pause_ms);
    }
    throw new Error(`no answer to ${request[0]} ${request[1]}`);
  };
  const get = (path: string) => call('GET', path);
  return {
    get,
    post: (path, body, idempotency_key) => call('POST', path, body, idempotency_key),
    put: (path, body) => call('PUT', path, body),
    all: async (path) => {
      const records: Record<string, unknown>[] = [];
      for (let cursor: unknown = ''; cursor !== null; ) {
        const at = cursor === '' ? '' : `&cursor=${cursor}`;
        const { status, body } = await get(`${path}?limit=100${at}`);
        if (status !== 200 || !Array.isArray(body.data)) throw new Error(`${path}: ${status}`);
        records.push(...body.data);
        cursor = body.next_cursor;
      }
      return records;
    },
  };
}

/** No answer, one of the proxy's, or one that asks for it. */
function mustRepeat({ status, body }: Answer): boolean {
  if ([0, 502, 503, 504].includes(status)) return true;
  return status === 409 && JSON.stringify(body).includes('idempotency_key_in_use');
}
