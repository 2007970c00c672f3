import { setTimeout as pause } from 'node:timers/promises';
import type { Sent } from './audit.ts';
import type { BatchKind } from './batch-kinds.ts';
import type { Reader } from './database-reader.ts';
import { type Answered, mustRepeat, type Request, sendRequest } from './requests.ts';

/** A client's task across all crashes of the service: one batch, to be completed. */
export interface ClientTask {
  sent: Sent;
  /** Null until it is accepted. */
  batch_id: string | null;
  isComplete: boolean;
  /** Unexpected responses. */
  unexpected: string[];
  /** Requests with a response. */
  answered: number;
  /** Whether a request was sent that has no response yet: it is repeated before anything else. */
  isAsking: boolean;
  isClockSet: boolean;
}

export function newClientTask(batch_kind: BatchKind, batch: number, count: number): ClientTask {
  const sent = { batch_kind, orders: batch_kind.orders(batch, count) };
  const isClockSet = batch_kind.rate === null;
  return {
    sent,
    batch_id: null,
    isComplete: false,
    unexpected: [],
    answered: 0,
    isAsking: false,
    isClockSet,
  };
}

/** The next request, repeated until it gets a response; null while the client only waits. */
function nextRequest({ sent, batch_id, isClockSet, answered }: ClientTask): Request | null {
  const { rate, settings } = sent.batch_kind;
  if (!isClockSet) {
    const body = rate === 0 ? { mode: 'manual' } : { mode: 'scaled', rate };
    return { method: 'POST', path: '/v2/sandbox/clock', body };
  }
  const idempotency_key = `${sent.orders[0]?.external_order_ref} ${answered}`;
  if (batch_id === null) {
    const body = { orders: sent.orders, settings };
    return { method: 'POST', path: '/v2/orders/create', body, idempotency_key };
  }
  if (rate !== 0) return null;
  return { method: 'POST', path: '/v2/sandbox/clock/advance', body: { by: 5 }, idempotency_key };
}

function take(clientTask: ClientTask, { status, body }: Answered): void {
  clientTask.answered += 1;
  clientTask.isAsking = false;
  if (status !== 200 && status !== 202) {
    clientTask.unexpected.push(`${status} ${JSON.stringify(body)}`);
    return;
  }
  if (!clientTask.isClockSet) clientTask.isClockSet = true;
  else if (typeof body === 'object' && body !== null && 'batch_id' in body)
    clientTask.batch_id = String(body.batch_id);
}

const poll_interval_ms = 20;

/** Continues the task while the service lives. */
export async function runClientTask(
  clientTask: ClientTask,
  service: { url: () => string | null; key: string; isOver: () => boolean },
  database: Reader,
): Promise<void> {
  while (!service.isOver()) {
    if (!clientTask.isAsking && (await isCompleted(clientTask, database))) return;
    const request = nextRequest(clientTask);
    const url = service.url();
    clientTask.isAsking ||= request !== null && url !== null;
    const answered = request === null || url === null ? null : await sendRequest(url, service.key, request);
    if (answered !== null && !mustRepeat(answered)) take(clientTask, answered);
    else await pause(poll_interval_ms);
    if (clientTask.unexpected.length > 0) return;
  }
}

async function isCompleted(clientTask: ClientTask, database: Reader): Promise<boolean> {
  const { batch_id } = clientTask;
  if (batch_id === null) return false;
  const [row] = await database.rows<{ status: string }>(
    `select status from batches where id = '${batch_id}'`,
  );
  clientTask.isComplete = row?.status === 'complete';
  return clientTask.isComplete;
}

/** For a batch that is not complete in time: its remaining work. */
export async function remainingWork(database: Reader, { batch_id }: ClientTask): Promise<string> {
  const tasks = await database.rows(
    `select kind, count(*) as count, min(due_at) as due_at, max(claimed_until) as claimed_until, max(attempts) as attempts
     from tasks group by kind`,
  );
  return `batch ${batch_id} is not complete; there is left ${JSON.stringify(tasks)}`;
}
