import type { Feature } from '../../client/features.ts';
import type { Invocation } from '../kit/result/invocation.ts';

/** Groups of which a service may lack the look-ups only. */
const lookupGroups: Readonly<Record<string, Feature>> = {
  orders: 'orders',
  routes: 'routes',
  batches: 'batches',
};
const lookups: readonly string[] = ['list', 'get', 'wait', 'tries'];

const groups: Readonly<Record<string, Feature>> = {
  audit: 'keys',
  charges: 'charges',
  couriers: 'couriers',
  drivers: 'drivers',
  events: 'stream',
  keys: 'keys',
  listen: 'webhooks',
  sandbox: 'sandbox',
  stores: 'stores',
  webhooks: 'webhooks',
};

/** Leaves out commands that need a feature which the service is known to lack. */
export function availableSteps<T extends Invocation>(
  steps: readonly T[],
  has: (feature: Feature) => boolean,
): T[] {
  return steps.filter(({ command, args }) => {
    const [group = '', verb = args[0] ?? ''] = command.split(' ');
    const feature = (lookups.includes(verb) ? lookupGroups[group] : undefined) ?? groups[group];
    return feature === undefined || has(feature);
  });
}
