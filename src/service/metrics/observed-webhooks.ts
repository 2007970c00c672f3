import type { Observe } from '../runtime/observations.ts';
import type { WebhookClient } from '../runtime/webhook-ports.ts';

/** A webhook client whose attempts are counted, if anything is counted. */
export function observedWebhooks(client: WebhookClient, observe: Observe | undefined): WebhookClient {
  if (observe === undefined) return client;
  return {
    ...client,
    post: async (request) => {
      const result = await client.post(request);
      const outcome = result.reason === '' ? 'delivered' : 'failed';
      observe({ type: 'webhook', outcome, seconds: result.duration_ms / 1_000 });
      return result;
    },
  };
}
