import type { Provider } from '../../providers/port.ts';
import type { Observe, WebhookClient } from '../runtime/service-ports.ts';
import type { Clock } from '../runtime/time.ts';

/** A provider whose calls for quotes, dispatches, look-ups and cancellations are counted. */
export function observedProvider(provider: Provider, observe: Observe, monotonic: Clock): Provider {
  const { name } = provider;
  const observed = async <T>(call: string, run: () => Promise<T>): Promise<T> => {
    const started_at = monotonic.now();
    const end = (outcome: 'answered' | 'failed') => {
      const seconds = (monotonic.now() - started_at) / 1_000;
      observe({ type: 'provider_call', provider: name, call, outcome, seconds });
    };
    try {
      const answer = await run();
      end('answered');
      return answer;
    } catch (fault) {
      end('failed');
      throw fault;
    }
  };
  return {
    ...provider,
    quote: async (request) => {
      try {
        const answer = await observed('quote', () => provider.quote(request));
        observe({
          type: 'quote',
          provider: name,
          outcome: answer.kind === 'quoted' ? 'quoted' : answer.code,
        });
        return answer;
      } catch (fault) {
        observe({ type: 'quote', provider: name, outcome: 'no_answer' });
        throw fault;
      }
    },
    create: async (request) => {
      try {
        const answer = await observed('create', () => provider.create(request));
        observe({ type: 'dispatch', provider: name, outcome: answer.kind });
        return answer;
      } catch (fault) {
        observe({ type: 'dispatch', provider: name, outcome: 'no_answer' });
        throw fault;
      }
    },
    find: (request) => observed('find', () => provider.find(request)),
    cancelTerms: (request) => observed('cancel_terms', () => provider.cancelTerms(request)),
    cancel: (request) => observed('cancel', () => provider.cancel(request)),
  };
}

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
