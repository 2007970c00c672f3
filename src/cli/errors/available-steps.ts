import type { Feature } from '../../client/features.ts';
import { type Invocation, invocation, type NextStep } from '../kit/result/message.ts';

/** The commands that show whether a write was executed if its response is lost. */
export function whereToLook({
  operation,
  params = {},
}: {
  operation: string;
  params?: Readonly<Record<string, unknown>>;
}): NextStep[] {
  const route = String(params.route_id ?? 'ROUTE');
  const deliveries = { ...invocation('deliveries list'), when: 'Look whether the delivery is there' };
  switch (operation) {
    case 'CreateOrders':
      return [{ ...invocation('orders list'), when: 'Look whether the order is there' }, deliveries];
    case 'CreateRoute':
      return [{ ...invocation('routes list'), when: 'Look whether the route is there' }];
    case 'GetRouteQuotes':
      return [{ ...invocation('quotes list', [route]), when: 'Look whether the quotes come' }];
    default:
      return typeof params.deliveryid === 'string'
        ? [{ ...invocation('deliveries get', [params.deliveryid]), when: 'Look at the delivery' }]
        : [deliveries];
  }
}

/** Groups of which a service may lack the look-ups only. */
const lookupGroups: Readonly<Record<string, Feature>> = {
  orders: 'orders',
  routes: 'routes',
  batches: 'batches',
};
const lookups: readonly string[] = ['list', 'get', 'wait', 'tries'];

/** Changes of a delivery that only a service with the whole contract, and so with idempotency keys, is known to have. */
const changes: readonly string[] = [
  ...['assign', 'dispute', 'edit', 'initiate', 'note', 'report', 'retry', 'unlock'],
];

const groups: Readonly<Record<string, Feature>> = {
  audit: 'keys',
  charges: 'charges',
  couriers: 'couriers',
  disputes: 'idempotency',
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
    // A copy is made of the order.
    if (args.includes('--like') && !has('orders')) return false;
    const isChange = group === 'deliveries' && changes.includes(verb);
    const known = lookups.includes(verb) ? lookupGroups[group] : undefined;
    const feature = isChange ? 'idempotency' : (known ?? groups[group]);
    return feature === undefined || has(feature);
  });
}

/**
 * The next steps for an order that is not open, from the IDs in the refusal: the order, and the record that holds it.
 * Empty without an order.
 */
export function stepsForOrder([order, holder = '']: readonly string[]): NextStep[] {
  if (order === undefined) return [];
  const look = { ...invocation('orders get', [order]), when: 'See its status' };
  switch (holder.split('_')[0]) {
    // Auto dispatch created the route, so the user should not delete it.
    case 'bat':
      return [
        { ...invocation('batches get', [holder]), when: 'See how far auto dispatch is' },
        { ...invocation('orders cancel', [order]), when: 'Take the order out of it, which closes it' },
      ];
    case 'rte':
      return [
        look,
        { ...invocation('routes get', [holder]), when: 'See its route' },
        {
          ...invocation('routes delete', [holder]),
          when: 'A draft route gives its orders back when deleted',
        },
      ];
    case 'dlv':
      return [
        look,
        { ...invocation('deliveries explain', [holder]), when: 'See its delivery and the next steps' },
      ];
    default:
      return [look];
  }
}
