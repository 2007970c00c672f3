import { commandLine } from '../line/command-line.ts';
import type { NextStep } from './failure.ts';

/** What to do about an order that is not free. */
export interface OrderHint {
  hint: string;
  next: NextStep[];
}

/**
 * Where an order stands that the service calls not open, and what can be done, told from its message: the order that
 * it speaks of need not be the first of the line, and what holds it decides the way out. Null for any other message.
 */
export function orderHint(message: string): OrderHint | null {
  const { order, batch, route, delivery } = Object(named.exec(message)?.groups);
  if (typeof order !== 'string') return null;
  const look = { command: commandLine(['orders', 'get', order]), when: 'See where it stands' };
  if (typeof batch === 'string') return ofBatch(order, batch);
  if (typeof route === 'string') return ofRoute(look, route);
  if (typeof delivery === 'string') return hintOf([look, explained(delivery)]);
  return hintOf([look]);
}

const named =
  /^Order (?<order>ord_\w+) is \w+(?: dispatched by batch (?<batch>bat_\w+)| in route (?<route>rte_\w+)| for delivery (?<delivery>dlv_\w+))?/;

/** Auto dispatch has it in hand: a route of it is none of ours. */
function ofBatch(order: string, batch: string): OrderHint {
  return hintOf([
    { command: commandLine(['batches', 'get', batch]), when: 'See how far auto dispatch is' },
    { command: commandLine(['orders', 'cancel', order]), when: 'Take the order out of it, which closes it' },
  ]);
}

function ofRoute(look: NextStep, route: string): OrderHint {
  return hintOf([
    look,
    { command: commandLine(['routes', 'get', route]), when: 'See its route' },
    {
      command: commandLine(['routes', 'delete', route]),
      when: 'A draft route gives its orders back when deleted',
    },
  ]);
}

function explained(delivery: string): NextStep {
  return {
    command: commandLine(['deliveries', 'explain', delivery]),
    when: 'See its delivery and what can be done',
  };
}

function hintOf(next: NextStep[]): OrderHint {
  return { hint: next.map(({ command, when }) => `${when}: \`${command}\`.`).join(' '), next };
}
