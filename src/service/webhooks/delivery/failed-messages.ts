import { Problem } from '../../../contract/errors.ts';
import type { Connection, FailedTaskRow, WebhookMessageRow } from '../../../storage/database.ts';
import { findEvents } from '../../../storage/events.ts';
import { failMessage } from '../../../storage/failed-tasks.ts';
import { StorageUnavailable } from '../../../storage/storage.ts';
import { findWebhookEndpoint } from '../../../storage/webhook-endpoints.ts';
import { insertResent, messagesOf, resentQueueOf } from '../../../storage/webhook-messages.ts';
import { createTaskQuarantine } from '../../runtime/background-state.ts';
import type { Clock } from '../../runtime/time.ts';
import { type FailureParts, failureOf } from '../../tasks/failed-work.ts';

/** The known fields of a message, which may be unreadable. */
type KnownMessage = Pick<WebhookMessageRow, 'sequence' | 'endpoint_id'> &
  Partial<Pick<WebhookMessageRow, 'claim' | 'attempts' | 'due_at'>>;

/** Messages that this process cannot read, claim or record. */
export interface FailedMessages {
  /**
   * Gives a message up, so that its queue continues without it; if that fails too, the message is skipped for a
   * while. Throws `StorageUnavailable`.
   */
  expel: (message: KnownMessage, fault: unknown) => Promise<void>;
  /** Whether a message is skipped for now. */
  has: (sequence: number) => boolean;
  /** How many messages may be skipped. */
  size: () => number;
  /** The endpoints of the skipped messages. */
  endpoints: () => string[];
}

type Parts = Omit<FailureParts, 'quarantine' | 'clock'> & { clock: Clock; monotonic: Clock };

/** Starts without failed messages. */
export function createFailedMessages(service: Parts): FailedMessages {
  const quarantine = createTaskQuarantine(service.monotonic);
  const endpoints = new Map<number, string>();
  const expel = async (message: KnownMessage, fault: unknown) => {
    const { sequence, endpoint_id, claim, attempts = 0, due_at } = message;
    const now = service.clock.now();
    const row = { id: `${sequence} ${endpoint_id}`, due_at: due_at ?? now, attempts };
    const failure = await failureOf(service, { row, fault, is_concluded: 0 });
    const ours = { sequence, claim };
    // Read committed, as everything that ends a message: see `headDue` of storage/webhook-messages.ts.
    await service.storage.transaction((db) => failMessage(db, ours, { ...failure, now }), 'read committed');
  };
  return {
    has: (sequence) => quarantine.has(String(sequence)),
    size: quarantine.size,
    endpoints: () =>
      [...endpoints].flatMap(([sequence, id]) => (quarantine.has(String(sequence)) ? [id] : [])),
    expel: async (message, fault) => {
      if (fault instanceof StorageUnavailable) throw fault;
      service.onFault?.(fault, null);
      try {
        await expel(message, fault);
      } catch (other) {
        if (other instanceof StorageUnavailable) throw other;
        service.onFault?.(other, null);
        quarantine.add(String(message.sequence));
        endpoints.set(message.sequence, message.endpoint_id);
      }
    },
  };
}

/** Queues a message again that was given up, unless it is already queued. Throws `failed_task_not_retryable`. */
export async function retryMessage(db: Connection, row: FailedTaskRow, now: number): Promise<void> {
  const { endpoint_id }: { endpoint_id: string } = JSON.parse(row.payload);
  const [event] = await findEvents(db, [row.subject]);
  const endpoint = await findWebhookEndpoint(db, row, endpoint_id);
  if (event === undefined || endpoint === undefined) {
    const message = `The event or webhook endpoint of failed task ${row.id} no longer exists. Dismiss the task.`;
    throw new Problem('failed_task_not_retryable', message);
  }
  const messages = await messagesOf(db, event.id);
  if (messages.some((message) => message.endpoint_id === endpoint_id)) return;
  const { account_id, test_mode } = row;
  const queue = resentQueueOf(event);
  await insertResent(db, { account_id, test_mode, event_id: event.id, endpoint_id, queue, created_at: now });
}
