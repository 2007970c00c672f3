import { setTimeout as pause } from 'node:timers/promises';
import { mustRepeat, type Request, sendRequest } from '../kills/requests.ts';

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

const pause_ms = 200;
/** Longer than any outage of the evening. */
const max_repeats = 900;

export function createCaller(url: () => string, key: string, statuses: Statuses): Caller {
  const call = async (request: Request): Promise<Answer> => {
    for (let repeats = 0; repeats < max_repeats; repeats += 1) {
      const answered = await sendRequest(url(), key, request);
      const status = answered?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (answered !== null && !mustRepeat(answered)) return { status, body: { ...Object(answered.body) } };
      await pause(pause_ms);
    }
    throw new Error(`no answer to ${request.method} ${request.path}`);
  };
  const get = (path: string) => call({ method: 'GET', path });
  return {
    get,
    post: (path, body, idempotency_key) => call({ method: 'POST', path, body, idempotency_key }),
    put: (path, body) => call({ method: 'PUT', path, body }),
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
