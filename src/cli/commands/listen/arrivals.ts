import { sinkAnswerText } from '../../../domain/sink-scripts.ts';
import { eventTypeIn } from '../webhooks/event-type.ts';
import type { Arrived } from './lines.ts';
import type { SinkAttempt } from './sink.ts';

/** An attempt that arrived at the local receiver, as it is told. */
export function arrivalOf({ number, headers, body, answer }: SinkAttempt): Arrived {
  return {
    type: 'arrived',
    number,
    event_id: headers['webhook-id'] ?? null,
    event_type: eventTypeIn(body),
    answer: sinkAnswerText(answer),
  };
}
