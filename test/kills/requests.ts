/** A client's request to a process that may die at any moment. */
export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  idempotency_key?: string;
}

export interface Answered {
  status: number;
  body: unknown;
}

const timeout_ms = 20_000;

/** The response, or null without one: the effect is then unknown. */
export async function sendRequest(url: string, key: string, request: Request): Promise<Answered | null> {
  const { method, path, body, idempotency_key } = request;
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeout_ms),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}

/** Whether a request must be repeated: it had no response, or the response asks for it. */
export function mustRepeat(answered: Answered | null): boolean {
  if (answered === null || answered.status === 503) return true;
  return answered.status === 409 && JSON.stringify(answered.body).includes('idempotency_key_in_use');
}
