import { operations } from '../contract/operations.ts';
import { endpoint, lazily } from './endpoint.ts';

/** What merchants are told, and where. */
export const eventEndpoints = {
  events: () => ({
    list: () =>
      endpoint(
        operations.events.list,
        lazily(async () => (await import('./event-log.ts')).pageOfEvents),
      ),
    stream: () =>
      endpoint(
        operations.events.stream,
        lazily(async () => (await import('./event-stream.ts')).followEvents),
      ),
    get: () =>
      endpoint(
        operations.events.get,
        lazily(async () => (await import('./event-log.ts')).readEvent),
      ),
    resend: () =>
      endpoint(
        operations.events.resend,
        lazily(async () => (await import('./event-resending.ts')).sendAgain),
      ),
  }),
  webhooks: () => ({
    create: () =>
      endpoint(
        operations.webhooks.create,
        lazily(async () => (await import('./webhook-endpoints.ts')).addWebhookEndpoint),
      ),
    list: () =>
      endpoint(
        operations.webhooks.list,
        lazily(async () => (await import('./webhook-endpoints.ts')).pageOfWebhookEndpoints),
      ),
    get: () =>
      endpoint(
        operations.webhooks.get,
        lazily(async () => (await import('./webhook-endpoints.ts')).readWebhookEndpoint),
      ),
    update: () =>
      endpoint(
        operations.webhooks.update,
        lazily(async () => (await import('./webhook-endpoints.ts')).changeWebhookEndpoint),
      ),
    delete: () =>
      endpoint(
        operations.webhooks.delete,
        lazily(async () => (await import('./webhook-endpoints.ts')).dropWebhookEndpoint),
      ),
    rotate: () =>
      endpoint(
        operations.webhooks.rotate,
        lazily(async () => (await import('./webhook-secrets.ts')).rotateWebhookSecret),
      ),
    test: () =>
      endpoint(
        operations.webhooks.test,
        lazily(async () => (await import('./webhook-tests.ts')).testWebhookEndpoint),
      ),
    attempts: () =>
      endpoint(
        operations.webhooks.attempts,
        lazily(async () => (await import('./webhook-attempts.ts')).pageOfWebhookAttempts),
      ),
  }),
};
