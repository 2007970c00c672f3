import type { ServiceConfig } from '../../runtime/context.ts';

/** What is sent to an endpoint. */
export interface Post {
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** What came of it. */
export interface Posted {
  /** Null where no answer came. */
  status_code: number | null;
  /** Empty where it succeeded. */
  reason: string;
  /** The beginning of the answer, where it failed. */
  response: string;
  /** How long the endpoint asks to be left alone, where it does. */
  retry_after_ms: number | undefined;
  /** Wall time. */
  duration_ms: number;
}

/** Sends to the addresses that merchants have named. Never rejects. */
export interface Poster {
  post: (post: Post) => Promise<Posted>;
  close: () => Promise<void>;
}

/** All that sending costs is loaded when something is sent. */
export function createPoster(
  config: Pick<ServiceConfig, 'web' | 'timers' | 'wall' | 'loopback_webhooks'>,
): Poster {
  let opened: Promise<Poster> | null = null;
  const open = () => {
    opened ??= import('./http-post.ts').then(({ openPoster }) => openPoster(config));
    return opened;
  };
  return {
    post: async (post) => (await open()).post(post),
    // What is sent after that opens anew: a service that was stopped can be started again.
    close: async () => {
      const closing = opened;
      opened = null;
      await (await closing)?.close();
    },
  };
}
