import { waitAfterAttempt } from '../../../domain/webhook-retries.ts';
import type { WebhookEndpointRow, WebhookMessageRow } from '../../../storage/database.ts';
import type { NewAttempt } from '../../../storage/webhook-attempts.ts';
import { exactPart, newId } from '../../runtime/ids.ts';
import { type Chance, fraction } from '../../runtime/random.ts';
import type { WebhookResult } from '../../runtime/webhook-ports.ts';

/** A sent message and its result. */
export interface CompletedAttempt {
  endpoint: WebhookEndpointRow;
  message: WebhookMessageRow;
  result: WebhookResult;
  /** Service time when it was sent, and when its response arrived. */
  began_at: number;
  ended_at: number;
}

/**
 * The outcome of an attempt: the message was delivered, is retried at a time, was given up, or waits for an endpoint
 * that is gone.
 */
export type Outcome =
  | { kind: 'arrived' }
  | { kind: 'again'; due_at: number }
  | { kind: 'exhausted' }
  | { kind: 'gone'; due_at: number };

/** RFC 9110, 15.5.11: the endpoint wants no more events. */
export const status_gone = 410;

/** The outcome by the retry schedule, in service time. */
export function outcomeOf(
  { message, endpoint, result, ended_at }: CompletedAttempt,
  chance: Chance,
): Outcome {
  if (result.reason === '') return { kind: 'arrived' };
  if (result.status_code === status_gone) return { kind: 'gone', due_at: ended_at };
  const number = message.attempts + 1;
  const drawn = fraction(chance('webhook retry', message.event_id, endpoint.id, String(number)));
  const wait_ms = waitAfterAttempt(number, { chance: drawn, retry_after_ms: result.retry_after_ms });
  return wait_ms === null ? { kind: 'exhausted' } : { kind: 'again', due_at: ended_at + wait_ms };
}

/**
 * The row of an attempt. Its id is derived from the event, the endpoint, the number of earlier attempts and the
 * claim, which are unique together.
 */
export function attemptRow(sent: CompletedAttempt, outcome: Outcome, chance: Chance): NewAttempt {
  const { message, endpoint, result, began_at } = sent;
  const { account_id, test_mode, event_id, sends, claim, attempts } = message;
  return {
    id: newId(
      chance,
      'att',
      began_at,
      exactPart(event_id),
      exactPart(endpoint.id),
      String(sends),
      String(claim),
    ),
    account_id,
    test_mode,
    endpoint_id: endpoint.id,
    event_id,
    number: attempts + 1,
    status: outcome.kind === 'arrived' ? 'succeeded' : 'failed',
    status_code: result.status_code,
    reason: result.reason,
    response: result.response,
    duration_ms: result.duration_ms,
    next_attempt_at: outcome.kind === 'again' ? outcome.due_at : null,
    created_at: began_at,
  };
}

/** The attempt row of an event that was given up before its first attempt. */
export function givenUpRow({
  id,
  endpoint,
  event_id,
  now,
}: {
  id: string;
  endpoint: WebhookEndpointRow;
  event_id: string;
  now: number;
}): NewAttempt {
  const { account_id, test_mode } = endpoint;
  return {
    ...{ id, account_id, test_mode, endpoint_id: endpoint.id, event_id },
    ...{ number: 0, status: 'failed', status_code: null, response: '', duration_ms: 0 },
    reason: 'not sent: it waited longer than the retry period',
    next_attempt_at: null,
    created_at: now,
  };
}
