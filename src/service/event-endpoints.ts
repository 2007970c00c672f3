import { operations } from '../contract/operations.ts';
import { endpoint, lazily } from './http/handler.ts';

/** What merchants are told, and where. */
export const eventEndpoints = {
  events: () => ({
    list: () =>
      endpoint(
        operations.events.list,
        lazily(async () => (await import('./events/event-log-handlers.ts')).pageOfEvents),
      ),
    stream: () =>
      endpoint(
        operations.events.stream,
        lazily(async () => (await import('./events/stream-handler.ts')).followEvents),
      ),
    get: () =>
      endpoint(
        operations.events.get,
        lazily(async () => (await import('./events/event-log-handlers.ts')).readEvent),
      ),
    resend: () =>
      endpoint(
        operations.events.resend,
        lazily(async () => (await import('./events/resend-handlers.ts')).sendAgain),
      ),
  }),
  webhooks: () => ({
    create: () =>
      endpoint(
        operations.webhooks.create,
        lazily(async () => (await import('./webhooks/endpoints/endpoint-handlers.ts')).addWebhookEndpoint),
      ),
    list: () =>
      endpoint(
        operations.webhooks.list,
        lazily(
          async () => (await import('./webhooks/endpoints/endpoint-handlers.ts')).pageOfWebhookEndpoints,
        ),
      ),
    get: () =>
      endpoint(
        operations.webhooks.get,
        lazily(async () => (await import('./webhooks/endpoints/endpoint-handlers.ts')).readWebhookEndpoint),
      ),
    update: () =>
      endpoint(
        operations.webhooks.update,
        lazily(async () => (await import('./webhooks/endpoints/endpoint-handlers.ts')).changeWebhookEndpoint),
      ),
    delete: () =>
      endpoint(
        operations.webhooks.delete,
        lazily(async () => (await import('./webhooks/endpoints/endpoint-handlers.ts')).dropWebhookEndpoint),
      ),
    rotate: () =>
      endpoint(
        operations.webhooks.rotate,
        lazily(async () => (await import('./webhooks/endpoints/rotate-secret.ts')).rotateWebhookSecret),
      ),
    test: () =>
      endpoint(
        operations.webhooks.test,
        lazily(async () => (await import('./webhooks/endpoints/send-test.ts')).testWebhookEndpoint),
      ),
    attempts: () =>
      endpoint(
        operations.webhooks.attempts,
        lazily(async () => (await import('./webhooks/endpoints/attempt-handlers.ts')).pageOfWebhookAttempts),
      ),
  }),
};
