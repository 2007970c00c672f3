import type { ServiceConfig } from '../../runtime/context.ts';
import type { Poster } from '../../runtime/webhook-ports.ts';

/** The HTTP client is loaded on first use. */
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
    // Later requests open a new client: a stopped service can be started again.
    close: async () => {
      const closing = opened;
      opened = null;
      await (await closing)?.close();
    },
  };
}
