import { ApiError } from '../../client/errors.ts';
import type { EventType } from '../../contract/vocabulary.ts';
import { noNotifications, type Subscribe, type Subscriber } from '../kit/polling/poll.ts';
import type { Context } from '../session/context.ts';

/** The events that tell of something. */
export interface EventFilter {
  types: readonly EventType[];
  delivery_id?: string;
  batch_id?: string;
  /** Whether an event with this data may be about it, where the service does not filter by it. */
  isAbout(data: Readonly<Record<string, unknown>>): boolean;
}

/**
 * Notifications from the service's stream of events, over HTTP. Polls remain the source of truth: without a stream,
 * because the service refuses it or is away, there are no notifications. In the embedded service nothing happens
 * unless a request does it, so there are none either.
 */
export function eventNotifications(context: Context, filter: EventFilter | null): Subscribe {
  if (filter === null || context.settings.target.kind === 'embedded') return noNotifications;
  return (subscriber) => {
    const controller = new AbortController();
    forwardEvents(context, filter, subscriber, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) subscriber.fail(error);
    });
    return () => controller.abort();
  };
}

async function forwardEvents(
  context: Context,
  { isAbout, ...filter }: EventFilter,
  { notify }: Subscriber,
  signal: AbortSignal,
): Promise<void> {
  const onOpen = () => notify('opened');
  const onLost = () => notify('lost');
  try {
    const client = await context.client();
    for await (const event of client.follow({ ...filter, signal, onOpen, onLost, retriesFirst: true })) {
      if (isAbout(event.data)) notify(event.type === 'batch.completed' ? 'final-event' : 'event');
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A refused key ends the wait with the next poll.
    notify(error.status === 401 ? 'final-event' : 'lost');
  }
}
