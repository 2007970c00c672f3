import { ApiError } from '../../client/errors.ts';
import type { EventType } from '../../contract/vocabulary.ts';
import { noNotifications, type Subscribe, type Subscriber } from '../kit/polling/poll.ts';
import type { Context } from '../session/command.ts';

/** The events about a record. */
export interface EventFilter {
  types: readonly EventType[];
  delivery_id?: string;
  batch_id?: string;
  /** Filters events by their data where the service cannot. */
  isAbout(data: Readonly<Record<string, unknown>>): boolean;
}

/**
 * Notifications from the service's event stream over HTTP. Polls remain the source of truth: without a stream there are
 * no notifications. The embedded service only changes during requests, so it has none either.
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
    // The next poll ends the wait if the key is refused.
    notify(error.status === 401 ? 'final-event' : 'lost');
  }
}
