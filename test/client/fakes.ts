import { type Client, type ClientOptions, createClient } from '../../src/client/client.ts';
import type { Transport, WireRequest, WireResponse } from '../../src/contract/operation.ts';

export const startedAt = Date.parse('2026-03-02T10:00:00.000Z');

export function json(status: number, body: unknown, headers: Record<string, string> = {}): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export function refusal(
  status: number,
  code: string,
  headers: Record<string, string> = {},
  fields: Record<string, unknown> = {},
): WireResponse {
  const body = { object: 'error', code, message: `Said: ${code}.`, request_id: 'req_1', ...fields };
  return json(status, body, headers);
}

export function page(data: unknown[], next_cursor: string | null = null): WireResponse {
  return json(200, { object: 'list', data, has_more: next_cursor !== null, next_cursor });
}

export function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
}

interface Scripted {
  client: Client;
  sent: WireRequest[];
  waits: number[];
}

/** A client whose transport returns scripted responses in turn; its clock advances only by waiting. */
export function scripted(
  script: (WireResponse | Error)[],
  options: Partial<ClientOptions> & { attemptTime_ms?: number } = {},
): Scripted {
  const { attemptTime_ms = 0, ...given } = options;
  const sent: WireRequest[] = [];
  const waits: number[] = [];
  let now = startedAt;
  let keys = 0;
  const transport: Transport = async (request) => {
    now += attemptTime_ms;
    const next = script[sent.length];
    sent.push(structuredClone(request));
    if (next === undefined) throw new Error('the script has no answer left');
    if (next instanceof Error) throw next;
    return next;
  };
  const sleep = async (ms: number) => {
    waits.push(ms);
    now += ms;
  };
  const newIdempotencyKey = () => {
    keys += 1;
    return `key-${keys}`;
  };
  const base = {
    transport,
    apiKey: 'wb_test_abc',
    sleep,
    wallNow: () => now,
    chance: () => 0.5,
    newIdempotencyKey,
  };
  return { client: createClient({ ...base, userAgent: 'waybill/1', ...given }), sent, waits };
}
