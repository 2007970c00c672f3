import { ApiError } from '../../../client/errors.ts';
import { EventForgotten, StreamEnded } from '../../../client/event-stream.ts';
import type { Hint } from '../../kit/polling/hints.ts';
import { unreachableHint } from '../../waiting/service-hints.ts';

/** Why the events of the service do not come. */
export function lossOf(error: Error): Hint {
  if (error instanceof EventForgotten) return forgotten;
  if (error instanceof StreamEnded) return endsAtOnce;
  return error instanceof ApiError ? refusedFor(error) : unreachableHint(error);
}

/** The stream comes again, and stays. */
export const backAgain: Hint = {
  code: 'reachable',
  message: 'The events of the service come again.',
  command: null,
  when: '',
};

const forgotten: Hint = {
  code: 'event_forgotten',
  message:
    'The service does not know the last event any more, as after a reset. Going on with what has happened since.',
  command: null,
  when: '',
};

const endsAtOnce: Hint = {
  code: 'stream_ends',
  message:
    'The service answers, but its stream of events ends each time that it is open. Opening it again until it stays.',
  command: null,
  when: '',
};

function refusedFor({ message }: ApiError): Hint {
  const text = `The service gives no events at the moment: ${message} Asking again until it does.`;
  return { code: 'unreachable', message: text, command: null, when: '' };
}
