import { setTimeout as pause } from 'node:timers/promises';
import type { Sent } from './audit.ts';
import { type Mix, ordersOf } from './batch-kinds.ts';
import type { Reader } from './database-reader.ts';
import { type Answered, ask, isOpen, type Request } from './requests.ts';

/** A client's task across all crashes of the service: one batch, to be completed. */
export interface Errand {
  sent: Sent;
  /** Null until it is accepted. */
  batch_id: string | null;
  isComplete: boolean;
  /** Unexpected responses. */
  complaints: string[];
  /** Requests with a response. */
  answered: number;
  isClockSet: boolean;
}

export function newErrand(mix: Mix, prefix: string, count: number): Errand {
  const sent = { mix, orders: ordersOf(mix, prefix, count) };
  return { sent, batch_id: null, isComplete: false, complaints: [], answered: 0, isClockSet: false };
}

/** The next request, repeated until it gets a response; null while the client only waits. */
function nextRequest({ sent, batch_id, isClockSet, answered }: Errand): Request | null {
  const { rate, settings } = sent.mix;
  if (!isClockSet) {
    const body = rate === 0 ? { mode: 'manual' } : { mode: 'scaled', rate };
    return { method: 'POST', path: '/v2/sandbox/clock', body };
  }
  const idempotency_key = `${sent.orders[0]?.external_order_ref} ${answered}`;
  if (batch_id === null) {
    const body = { orders: sent.orders, settings };
    return { method: 'POST', path: '/v2/orders/create', body, idempotency_key };
  }
  if (rate > 0) return null;
  return { method: 'POST', path: '/v2/sandbox/clock/advance', body: { by: 5 }, idempotency_key };
}

function take(errand: Errand, { status, body }: Answered): void {
  errand.answered += 1;
  if (status !== 200 && status !== 202) {
    errand.complaints.push(`${status} ${JSON.stringify(body)}`);
    return;
  }
  if (!errand.isClockSet) errand.isClockSet = true;
  else if (typeof body === 'object' && body !== null && 'batch_id' in body)
    errand.batch_id = String(body.batch_id);
}

const look_ms = 20;

/** Continues the task while the service lives. */
export async function pursue(
  errand: Errand,
  service: { url: () => string | null; key: string; isOver: () => boolean },
  database: Reader,
): Promise<void> {
  while (!service.isOver()) {
    if (await isCompleted(errand, database)) return;
    const request = nextRequest(errand);
    const url = service.url();
    const answered = request === null || url === null ? null : await ask(url, service.key, request);
    if (answered !== null && !isOpen(answered)) take(errand, answered);
    else await pause(look_ms);
    if (errand.complaints.length > 0) return;
  }
}

async function isCompleted(errand: Errand, database: Reader): Promise<boolean> {
  const { batch_id } = errand;
  if (batch_id === null) return false;
  const [row] = await database.rows<{ status: string }>(
    `select status from batches where id = '${batch_id}'`,
  );
  errand.isComplete = row?.status === 'complete';
  return errand.isComplete;
}

/** For a batch that is not complete in time: its remaining work. */
export async function whatIsLeft(database: Reader, { batch_id }: Errand): Promise<string> {
  const tasks = await database.rows(
    `select kind, count(*) as count, min(due_at) as due_at, max(claimed_until) as claimed_until, max(attempts) as attempts
     from tasks group by kind`,
  );
  return `batch ${batch_id} is not complete; there is left ${JSON.stringify(tasks)}`;
}
