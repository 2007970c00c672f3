/**
 * The parts of a service whose code is loaded at their first use, as most commands of an embedded service use none of them:
 * the webhook client and the sender, own drivers as a provider, and the cleaner.
 */
import { fleet_provider } from '../contract/vocabulary.ts';
import type { Provider } from '../providers/port.ts';
import type { Flag } from '../storage/rows.ts';
import type { Cleaner } from './retention/cleaner.ts';
import { loadOnce } from './runtime/combine-calls.ts';
import type { ServiceConfig, ServiceContext, SharedContext } from './runtime/context.ts';
import type { Sender, WebhookClient } from './runtime/service-ports.ts';

/** The HTTP client is loaded on first use. */
export function createWebhookClient(config: ServiceConfig): WebhookClient {
  let opened: Promise<WebhookClient> | null = null;
  const open = () => {
    opened ??= import('./webhooks/delivery/http-post.ts').then(({ openWebhookClient }) =>
      openWebhookClient(config),
    );
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

/**
 * A merchant's own drivers as a provider. Its records are those of the service: `inMode` gives the service of a mode.
 * The implementation is loaded on the first call.
 */
export function fleetProvider(inMode: (test_mode: Flag) => ServiceContext): Provider {
  const serviceOf = ({ test_mode }: { test_mode: boolean }) => inMode(test_mode ? 1 : 0);
  const calls = () => import('./fleet/fleet-calls.ts');
  return {
    name: fleet_provider,
    answer_delay_ms: 0,
    only_when_named: false,
    is_remote: false,
    quotes_at_once: false,
    takes_recipient_calls: true,
    isAvailable: ({ connected }) => connected.includes(fleet_provider),
    quote: async (request) => (await calls()).quoteRoute(serviceOf(request), request),
    create: async (request) => (await calls()).takeRoute(serviceOf(request), request),
    find: async (request) => {
      const { findAnswer } = await calls();
      return serviceOf(request).storage.read((db) => findAnswer(db, request.reference));
    },
    cancelTerms: async (request) => (await calls()).cancelAnswer(request),
    cancel: async (request) => (await calls()).cancelAnswer(request),
    returnPrice: async () => 0,
  };
}

/** A sender whose code is loaded on first use: most commands send nothing. */
export function createSender(service: () => ServiceContext): Sender {
  let opened: Promise<Sender> | null = null;
  const open = () => {
    opened ??= import('./webhooks/delivery/sender-loop.ts').then(({ openSender }) => openSender(service()));
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

/** The cleaner; its code is loaded when it is used, as most commands do not. */
export function lazyCleaner(shared: SharedContext): Cleaner {
  let loaded: Cleaner | null = null;
  const load = loadOnce(async () => {
    const { createCleaner } = await import('./retention/cleaner.ts');
    loaded = createCleaner(shared);
    return loaded;
  });
  let isStarted = false;
  return {
    start: () => {
      isStarted = true;
      void load().then((cleaner) => isStarted && cleaner.start());
    },
    stop: async () => {
      isStarted = false;
      await loaded?.stop();
    },
    warning: () => loaded?.warning() ?? null,
    preview: async () => (await load()).preview(),
    clean: async () => (await load()).clean(),
  };
}
