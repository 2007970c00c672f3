import type { Sender, ServiceConfig, ServiceContext, WebhookClient } from '../../runtime/context.ts';

/** A sender whose code is loaded on first use: most commands send nothing. */
export function createSender(service: () => ServiceContext): Sender {
  let opened: Promise<Sender> | null = null;
  const open = () => {
    opened ??= import('./sender-loop.ts').then(({ openSender }) => openSender(service()));
    return opened;
  };
  return {
    sendDue: async () => (await open()).sendDue(),
    sendPromptly: async () => (await open()).sendPromptly(),
    nextDueAt: async () => (await open()).nextDueAt(),
    start: () => {
      void open().then((sender) => sender.start());
    },
    stop: async () => {
      await (await opened)?.stop();
    },
  };
}

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
