import { sinkAnswerText } from '../../domain/sink-scripts.ts';
import type { Arrived } from './lines.ts';
import type { SinkAttempt } from './sink.ts';

/** An attempt that arrived at the local receiver, as it is told. */
export function arrivalOf({ number, headers, body, answer }: SinkAttempt): Arrived {
  return {
    type: 'arrived',
    number,
    event_id: headers['webhook-id'] ?? null,
    event_type: typeIn(body),
    answer: sinkAnswerText(answer),
  };
}

/** Anybody on this machine can send anything. */
function typeIn(body: string): string | null {
  try {
    const data: unknown = JSON.parse(body);
    const isEvent = typeof data === 'object' && data !== null && 'type' in data;
    return isEvent && typeof data.type === 'string' ? data.type : null;
  } catch {
    return null;
  }
}
