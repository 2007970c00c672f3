/** Wraps providers and the webhook client, so that their calls are counted and timed. */
import type { Provider } from '../../providers/port.ts';
import type { Observe, WebhookClient } from '../runtime/service-ports.ts';
import type { Clock } from '../runtime/time.ts';

export function observedProvider(provider: Provider, observe: Observe, monotonic: Clock): Provider {
  const { name } = provider;
  /** Observes a call, and then its answer; null without one. */
  const observed = async <T>(
    call: string,
    run: () => Promise<T>,
    observeAnswer: (answer: T | null) => void = () => {},
  ): Promise<T> => {
    const started_at = monotonic.now();
    const end = (outcome: 'answered' | 'failed', answer: T | null) => {
      const seconds = (monotonic.now() - started_at) / 1_000;
      observe({ type: 'provider_call', provider: name, call, outcome, seconds });
      observeAnswer(answer);
    };
    try {
      const answer = await run();
      end('answered', answer);
      return answer;
    } catch (fault) {
      end('failed', null);
      throw fault;
    }
  };
  return {
    ...provider,
    quote: (request) =>
      observed(
        'quote',
        () => provider.quote(request),
        (answer) => {
          const outcome = answer?.kind === 'declined' ? answer.code : (answer?.kind ?? 'no_answer');
          observe({ type: 'quote', provider: name, outcome });
        },
      ),
    create: (request) =>
      observed(
        'create',
        () => provider.create(request),
        (answer) => observe({ type: 'dispatch', provider: name, outcome: answer?.kind ?? 'no_answer' }),
      ),
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
