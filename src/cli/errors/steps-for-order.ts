import { invocation, type NextStep } from '../kit/result/invocation.ts';

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
