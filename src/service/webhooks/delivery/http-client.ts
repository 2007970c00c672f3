import type { ServiceConfig } from '../../runtime/context.ts';
import type { WebhookClient } from '../../runtime/webhook-ports.ts';

/** The HTTP client is loaded on first use. */
export function createWebhookClient(
  config: Pick<ServiceConfig, 'web' | 'timers' | 'wall' | 'loopback_webhooks'>,
): WebhookClient {
  let opened: Promise<WebhookClient> | null = null;
  const open = () => {
    opened ??= import('./http-post.ts').then(({ openWebhookClient }) => openWebhookClient(config));
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
