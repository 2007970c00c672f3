import type { Connection, WebhookEndpointRow, WebhookMessageRow } from '../../src/storage/database.ts';
import { insertEvent, type NewEvent } from '../../src/storage/events.ts';
import { insertWebhookAttempts, type NewAttempt } from '../../src/storage/webhook-endpoints.ts';
import { enqueueEvent } from '../../src/storage/webhook-messages.ts';
import { idAt, noon, scope } from './records.ts';

export function endpoint(number: number, change: Partial<WebhookEndpointRow> = {}): WebhookEndpointRow {
  return {
    ...scope,
    id: idAt('whe_', noon, number),
    url: 'https://shop.example/hooks',
    events: '["*"]',
    description: 'Zoë\'s "till"',
    status: 'enabled',
    disabled_reason: '',
    disabled_at: null,
    held_until: null,
    secret: `whsec_${number}`,
    previous_secrets: '[]',
    created_at: noon,
    updated_at: noon,
    ...change,
  };
}

/** The numbered event of a delivery. */
export function numberedEvent(number: number, change: Partial<NewEvent> = {}): NewEvent {
  return {
    ...scope,
    id: `evt_${number}`,
    type: 'delivery.updated',
    delivery_id: 'dlv_1',
    batch_id: null,
    order_id: null,
    sequence: number,
    data: '{}',
    created_at: noon + number,
    ...change,
  };
}

/** Writes and queues events like `publishEvent`; a disabled endpoint collects them for one more second. */
export async function writeAndQueue(
  db: Connection,
  events: readonly NewEvent[],
  asked: readonly string[] = ['*'],
): Promise<void> {
  for (const event of events) {
    await insertEvent(db, event);
    await enqueueEvent(db, event, { asked, kept_ms: 1_000 });
  }
}

export function attempt(number: number, change: Partial<NewAttempt> = {}): NewAttempt {
  return {
    ...scope,
    id: `att_${number}`,
    endpoint_id: endpoint(1).id,
    event_id: 'evt_1',
    number,
    status: 'failed',
    status_code: 500,
    reason: 'it answered 500',
    response: 'Ouch <é>',
    duration_ms: 12,
    next_attempt_at: noon + 5_000,
    created_at: noon,
    ...change,
  };
}

export async function attemptRow(db: Connection, ...attempts: NewAttempt[]): Promise<void> {
  await insertWebhookAttempts(db, attempts);
}

/** The waiting messages: event, status, queue, and due time after noon. */
export async function waitingMessages(db: Connection, endpoint_id: string = endpoint(1).id) {
  const rows = await messages(db, endpoint_id);
  return rows.map(({ event_id, status, queue, due_at }) => {
    return [event_id, status, queue, due_at === null ? null : due_at - noon];
  });
}

export async function messages(
  db: Connection,
  endpoint_id: string = endpoint(1).id,
): Promise<WebhookMessageRow[]> {
  return db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('endpoint_id', '=', endpoint_id)
    .orderBy('sequence')
    .execute();
}
