import type { WebhookAttempt } from '../../../contract/webhook-endpoints.ts';
import { BadOutcome } from '../../kit/errors/failure.ts';
import { invocation, type NextStep } from '../../kit/result/message.ts';
import { type Column, type Result, record } from '../../kit/result/result.ts';

/** Columns of webhook attempts. `-o id` prints event IDs, as events are what can be resent. */
export const attemptColumns: readonly Column<WebhookAttempt>[] = [
  { field: 'created_at', header: 'When', kind: 'time', spare: 5, value: ({ created_at }) => created_at },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'status_code', header: 'Code', kind: 'text', value: ({ status_code }) => status_code },
  { field: 'event_type', header: 'Type', kind: 'text', spare: 4, value: ({ event_type }) => event_type },
  { field: 'number', header: 'Try', kind: 'count', spare: 3, value: ({ number }) => number },
  { field: 'reason', header: 'Reason', kind: 'text', prose: true, value: ({ reason }) => reason },
  {
    field: 'next_attempt_at',
    header: 'Next',
    kind: 'clock',
    spare: 6,
    value: (each) => each.next_attempt_at,
  },
  { field: 'duration_ms', header: 'Took (ms)', kind: 'count', spare: 2, value: (each) => each.duration_ms },
  { field: 'event_id', header: 'Event', kind: 'id', value: ({ event_id }) => event_id },
  { field: 'delivery_id', header: 'Delivery', kind: 'id', wide: true, value: (each) => each.delivery_id },
  { field: 'sequence', header: 'Sequence', kind: 'text', wide: true, value: ({ sequence }) => sequence },
  {
    field: 'response',
    header: 'Response',
    kind: 'text',
    spare: 1,
    unlessEmpty: true,
    value: ({ response }) => response,
  },
  { field: 'id', header: 'Attempt', kind: 'id', wide: true, value: ({ id }) => id },
];

/** The result of a requested attempt; exit 9 with the reason if it failed. */
export function attemptResult(attempt: WebhookAttempt): Result {
  const { status, status_code, reason, response, duration_ms, webhook_endpoint_id } = attempt;
  if (status === 'succeeded')
    return record(attempt, attemptColumns, {
      notes: [`It was taken with ${status_code ?? 'no code'} after ${duration_ms} ms.`],
    });
  throw new BadOutcome(`${webhook_endpoint_id} did not take the event: ${sentence(reason)}`, {
    code: 'webhook_attempt_failed',
    ...(response === '' ? {} : { why: `It answered: ${response}` }),
    hint:
      status_code === 410
        ? 'Its 410 has disabled it: nothing more is sent to it.'
        : 'It takes an event by an answer of 200 to 299 within 15 seconds.',
    next: [
      ...(status_code === 410 ? [enabling(webhook_endpoint_id)] : []),
      { ...invocation('webhooks get', [webhook_endpoint_id]), when: 'see its URL' },
      { ...invocation('webhooks test', [webhook_endpoint_id]), when: 'try again' },
    ],
    answer: record(attempt, attemptColumns),
  });
}

function enabling(endpoint: string): NextStep {
  return {
    ...invocation('webhooks update', [endpoint], { enable: true }),
    when: 'switch it on again',
  };
}

function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
