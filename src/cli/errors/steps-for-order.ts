import { invocation, type NextStep } from '../kit/result/invocation.ts';

/**
 * What can be done about an order that is not open, from the ids that the refusal names: the order, and what holds it.
 * None where it names no order.
 */
export function stepsForOrder([order, holder = '']: readonly string[]): NextStep[] {
  if (order === undefined) return [];
  const look = { ...invocation('orders get', [order]), when: 'See where it stands' };
  switch (holder.split('_')[0]) {
    // Auto dispatch made the route, so it is not deleted by hand.
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
        { ...invocation('deliveries explain', [holder]), when: 'See its delivery and what can be done' },
      ];
    default:
      return [look];
  }
}
