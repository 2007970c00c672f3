import type { WebhookAttempt } from '../../../contract/webhook-endpoints.ts';
import { BadOutcome } from '../../kit/errors/failure.ts';
import type { NextStep } from '../../kit/result/invocation.ts';
import { invocation } from '../../kit/result/invocation.ts';
import { type Result, record } from '../../kit/result/result.ts';
import { attemptColumns } from './attempt-columns.ts';

/** One attempt that somebody asked for; exit 9 with its reason where it failed. */
export function attempted(attempt: WebhookAttempt): Result {
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
