import { fleet_provider } from '../../contract/vocabulary.ts';
import type { Provider } from '../../providers/port.ts';
import type { Flag } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';

/**
 * A merchant's own drivers as a provider. Its records are those of the service: `inMode` gives the service of a mode.
 * The implementation is loaded on the first call.
 */
export function fleetProvider(inMode: (test_mode: Flag) => ServiceContext): Provider {
  const serviceOf = ({ test_mode }: { test_mode: boolean }) => inMode(test_mode ? 1 : 0);
  const calls = () => import('./fleet-calls.ts');
  return {
    ...{ name: fleet_provider, answer_delay_ms: 0, only_when_named: false },
    ...{ is_remote: false, quotes_at_once: false },
    ...{ takes_recipient_calls: true, idempotent_create: true },
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
