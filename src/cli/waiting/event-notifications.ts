import { ApiError, Unreachable } from '../../client/errors.ts';
import type { EventType } from '../../contract/vocabulary.ts';
import type { Context } from '../context.ts';
import { type Bell, type Listener, silence } from '../kit/polling/poll.ts';
import { wakeable } from './poll-clocks.ts';

/** The events that are told of something. */
export interface Told {
  types: readonly EventType[];
  delivery_id?: string;
  batch_id?: string;
  /** Whether what one of them tells may be about it, where the service has not sorted that out. */
  isAbout(data: Readonly<Record<string, unknown>>): boolean;
}

/**
 * The service's stream of events as a bell, over HTTP. It is not the truth: what has changed is seen by looking, and
 * where there is no stream, as the service refuses it or cannot be reached, nothing is heard. On the embedded service
 * nothing happens unless a request does it: there is nothing to hear.
 */
export function bellOf(context: Context, told: Told): Bell {
  if (context.settings.target.kind === 'embedded') return silence;
  return (listener) => {
    const controller = new AbortController();
    const isOver = () => controller.signal.aborted;
    listen(context, told, { listener, signal: controller.signal }).catch((fault: unknown) => {
      if (!isOver()) listener.fail(fault);
    });
    return () => controller.abort();
  };
}

interface Listening {
  listener: Listener;
  signal: AbortSignal;
}

/** Between two tries to open the stream of a service that is away. */
const wait_ms = 15_000;

async function listen(context: Context, told: Told, listening: Listening): Promise<void> {
  const { listener, signal } = listening;
  while (!signal.aborted) {
    const isAway = await heard(context, told, listening);
    listener.hear('lost');
    if (!isAway) return;
    await wakeable(context).sleep(wait_ms, signal);
  }
}

/** Hears the stream to its end; whether it may be there another time. */
async function heard(context: Context, told: Told, { listener, signal }: Listening): Promise<boolean> {
  const { isAbout, ...filter } = told;
  const onOpen = () => listener.hear('opened');
  const onLost = () => listener.hear('lost');
  try {
    const client = await context.client();
    for await (const event of client.follow({ ...filter, signal, onOpen, onLost })) {
      if (isAbout(event.data)) listener.hear(event.type === 'batch.completed' ? 'ended' : 'told');
    }
    return false;
  } catch (error) {
    if (error instanceof Unreachable) return true;
    if (!(error instanceof ApiError)) throw error;
    // With the key refused, the next look ends the wait.
    if (error.status === 401) listener.hear('ended');
    return error.status === 429 || error.status >= 500;
  }
}
