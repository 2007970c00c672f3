import { Agent, fetch } from 'undici';
import { certificate } from '../fakes/smtp/certificate.ts';

/** A client's request to a process that may die at any moment. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: unknown;
  idempotency_key?: string;
}

export interface Answered {
  status: number;
  body: unknown;
}

const timeout_ms = 30_000;
/** Trusts the proxy of an evening. */
const dispatcher = new Agent({ connect: { ca: certificate.cert }, connections: 64 });

/** The response, or null without one: the effect is then unknown. */
export async function sendRequest(url: string, key: string, request: Request): Promise<Answered | null> {
  const { method, path, body, idempotency_key } = request;
  try {
    const response = await fetch(`${url}${path}`, {
      ...{ method, dispatcher },
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeout_ms),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : { text } };
  } catch {
    return null;
  }
}

/** Whether a request must be repeated: it had no response, one of a proxy, or one that asks for it. */
export function mustRepeat(answered: Answered | null): boolean {
  if (answered === null || [502, 503, 504].includes(answered.status)) return true;
  return answered.status === 409 && JSON.stringify(answered.body).includes('idempotency_key_in_use');
}
