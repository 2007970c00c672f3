/** What is meant by flags that a list does not have: a report by groups, or a filter of another list. */
import { sameForAll } from '../../domain/fields.ts';
import { invocation, phrase } from '../kit/result/message.ts';

const grouped = phrase`Did you mean ${invocation('report', [], { by: 'VALUE' })}?`;
const summed = phrase`Did you mean ${invocation('report', [], { fees: true })}?`;
const waiting = phrase`Did you mean ${invocation('orders list', [], { waiting: true })}?`;
const declined = phrase`Did you mean ${invocation('deliveries list', [], { filter: 'failure_reason = provider_refused' })}?`;
const direction = 'The direction is part of --sort: --sort COLUMN:asc, or COLUMN:desc.';

export const listFlagHints = {
  ...sameForAll(['--asc', '--desc', '--ascending', '--descending', '--reverse'], direction),
  // Lists have no groups: reports do.
  '--by': grouped,
  '--group-by': grouped,
  '--sum': summed,
  '--total': summed,
  '--totals': summed,
  // An order between two attempts waits for a driver, too, and is in no list of deliveries.
  '--waiting': waiting,
  '--without-driver': waiting,
  '--no-driver': waiting,
  '--unassigned': waiting,
  '--driverless': waiting,
  '--hour': phrase`Did you mean ${invocation('report', [], { by: 'hour' })}?`,
  '--tax': phrase`Taxes are not kept. What couriers were paid: ${invocation('report', [], { fees: true })}`,
  // What a courier declined is a delivery that failed.
  '--declined': declined,
};
