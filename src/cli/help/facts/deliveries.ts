import { listOf, object, orNull, withFields, word } from '../shapes.ts';
import { answerOf, each, type Facts, lines, one } from './fact.ts';
import { boardLink, courierCase, courierCheck, explanation, fleetPrices, tracked } from './own-shapes.ts';

const delivery = answerOf('deliveries.getDetailed');
const watched = withFields({ type: '"delivery.current" | "delivery.updated"' }, delivery);
const creation = {
  exits: { 9: 'courier or payment failed at once; with --wait: ended unsuccessfully' },
  errors: ['delivery_failed', 'still_pending', 'delivery_STATUS'],
} as const;

/** The outcome of one delivery of a bulk command. */
const bulkResult = object({
  object: '"bulk_result"',
  delivery_id: 'string',
  result: 'canceled | retried | refused | failed',
  new_delivery_id: orNull(word('string')),
  cost: orNull(word('integer')),
  refund: orNull(word('integer')),
  code: orNull(word('string')),
  reason: orNull(word('string')),
});

/** The errors of commands that take several deliveries. */
const bulkErrors = ['some_not_changed'] as const;

/** The results of `today`. */

const problemFields = {
  kind: 'one of the counts',
  id: 'string',
  external_order_ref: orNull(word('string')),
  what: 'string',
  since: orNull(word('time')),
  next: object({ command: 'string', args: listOf(word('string')), when: 'string' }),
};

const problems = object({
  object: '"problems"',
  counts: object({
    waiting: 'integer',
    off_duty: 'integer',
    locked: 'integer',
    failed: 'integer',
    canceled: 'integer',
    unfulfilled: 'integer',
    returned: 'integer',
    stuck: 'integer',
    late: 'integer',
    disputed: 'integer',
    webhook: 'integer',
    provider: 'integer',
  }),
  items: listOf(object(problemFields)),
  unchecked: listOf(word('waiting_orders | deliveries | drivers | orders | disputes | webhooks | providers')),
  incomplete: listOf(
    word('waiting_orders | deliveries | drivers | orders | disputes | webhooks | providers'),
  ),
});
export const watchedProblem = object({
  type: '"problem.current" | "problem.added" | "problem.solved"',
  ...problemFields,
});

/** Commands for deliveries and their costs. */
export const deliveryFacts: Readonly<Record<string, Facts>> = {
  'deliveries list': {
    calls: ['deliveries.listDetailed', 'deliveries.getDetailed'],
    answers: [each('deliveries.listDetailed'), lines(watched, 'with --watch')],
    errors: ['still_pending'],
    related: ['deliveries explain', 'deliveries get', 'deliveries watch'],
  },
  'deliveries get': {
    calls: ['deliveries.getDetailed', 'deliveries.listDetailed', 'routes.get'],
    answers: [one('deliveries.getDetailed'), lines(watched, 'with --watch')],
    exits: { 9: 'with --watch: ended without being delivered' },
    errors: ['still_pending', 'delivery_STATUS'],
    related: ['deliveries explain', 'deliveries watch', 'track', 'events list'],
  },
  today: {
    calls: [
      ...(['deliveries.listDetailed', 'orders.get', 'orders.list', 'batches.get', 'disputes.list'] as const),
      ...(['webhooks.list', 'webhooks.attempts', 'account.get', 'sandbox.provider'] as const),
      ...(['waitingOrders.list', 'drivers.list'] as const),
    ],
    answers: [one(problems), lines(watchedProblem, 'with --watch')],
    errors: ['still_pending', 'unknown_field'],
    related: ['deliveries list', 'deliveries explain', 'doctor'],
  },
  'deliveries explain': {
    calls: [
      ...(['deliveries.getDetailed', 'deliveries.cancellation'] as const),
      ...(['charges.list', 'orders.get', 'routes.get', 'failedTasks.list', 'sandbox.steps'] as const),
    ],
    answers: [one(explanation)],
    related: ['deliveries get', 'deliveries cancel', 'deliveries retry', 'charges list'],
  },
  'deliveries watch': {
    calls: ['deliveries.getDetailed'],
    answers: [lines(watched)],
    exits: { 9: 'ended without being delivered' },
    errors: ['still_pending', 'delivery_STATUS'],
    related: ['deliveries wait', 'deliveries explain', 'events tail'],
  },
  'deliveries wait': {
    calls: ['deliveries.getDetailed'],
    answers: [one('deliveries.getDetailed')],
    exits: { 9: '--until can no longer be reached, or a status of --fail-on was reached' },
    errors: ['still_pending', 'delivery_STATUS'],
    related: ['deliveries watch', 'deliveries explain', 'sandbox advance'],
  },
  'deliveries quote': {
    calls: ['deliveries.quote'],
    answers: [each('deliveries.quote')],
    exits: { 9: 'no provider offers a quote' },
    errors: ['no_quotes'],
    related: ['deliveries create', 'orders create'],
  },
  'deliveries create': {
    calls: ['deliveries.create', 'deliveries.getDetailed'],
    answers: [one('deliveries.create'), each(delivery, 'from an array')],
    ...creation,
    exits: { ...creation.exits, 10: 'some could not be created, or failed at once' },
    related: ['deliveries initiate', 'deliveries quote', 'deliveries watch', 'orders create'],
  },
  'deliveries initiate': {
    calls: ['deliveries.initiate', 'deliveries.getDetailed'],
    answers: [one('deliveries.initiate')],
    ...creation,
    related: ['deliveries create', 'deliveries watch', 'deliveries wait'],
  },
  'deliveries assign': {
    calls: ['drivers.assign', 'drivers.list', 'deliveries.listDetailed'],
    answers: [one('drivers.assign')],
    related: ['drivers list', 'deliveries report', 'deliveries explain'],
  },
  'deliveries report': {
    calls: ['deliveries.report', 'deliveries.listDetailed'],
    answers: [one('deliveries.report')],
    related: ['deliveries assign', 'today', 'deliveries explain'],
  },
  'deliveries unlock': {
    calls: ['deliveries.unlock', 'deliveries.listDetailed'],
    answers: [one('deliveries.unlock')],
    related: ['today', 'deliveries explain'],
  },
  'deliveries edit': {
    calls: ['deliveries.edit', 'deliveries.listDetailed'],
    answers: [one('deliveries.edit')],
    related: ['deliveries get', 'deliveries cancel'],
  },
  'deliveries cancel': {
    calls: ['deliveries.cancel', 'deliveries.cancellation', 'deliveries.listDetailed', 'account.get'],
    answers: [
      one('deliveries.cancel'),
      one('deliveries.cancellation', 'with --price'),
      each(bulkResult, 'with --from or --where'),
    ],
    exits: { 10: 'some could not be canceled' },
    errors: ['above_max_fee', ...bulkErrors],
    related: ['deliveries explain', 'deliveries retry', 'orders cancel'],
  },
  'deliveries retry': {
    calls: [
      'deliveries.retry',
      'deliveries.retryTerms',
      'deliveries.getDetailed',
      'deliveries.listDetailed',
      'account.get',
    ],
    answers: [one('deliveries.retry'), each(bulkResult, 'with --from or --where')],
    ...creation,
    exits: { ...creation.exits, 10: 'some could not be retried, or failed at once' },
    errors: [...creation.errors, 'above_max_cost', ...bulkErrors],
    related: ['deliveries explain', 'deliveries watch', 'deliveries wait'],
  },
  'deliveries dispute': {
    calls: ['deliveries.dispute', 'deliveries.getDetailed', 'deliveries.listDetailed'],
    answers: [one('deliveries.dispute')],
    related: ['disputes resolve', 'deliveries explain', 'charges list'],
  },
  'deliveries note': {
    calls: ['deliveries.note', 'deliveries.notes', 'deliveries.listDetailed'],
    answers: [one('deliveries.note'), each('deliveries.notes', 'without TEXT')],
    related: ['deliveries explain', 'deliveries get'],
  },
  'disputes list': {
    calls: ['disputes.list'],
    answers: [each('disputes.list')],
    related: ['disputes get', 'disputes resolve'],
  },
  'disputes get': {
    calls: ['disputes.get', 'deliveries.listDetailed'],
    answers: [one('disputes.get')],
    related: ['disputes resolve', 'deliveries explain'],
  },
  'disputes resolve': {
    calls: ['disputes.resolve', 'deliveries.listDetailed'],
    answers: [one('disputes.resolve')],
    related: ['disputes list', 'charges list', 'deliveries explain'],
  },
  track: {
    calls: ['deliveries.getDetailed', 'deliveries.listDetailed'],
    answers: [lines(tracked)],
    related: ['deliveries watch', 'deliveries get'],
  },
  board: {
    calls: ['drivers.list', 'keys.create', 'keys.revoke'],
    answers: [lines(boardLink)],
    related: ['today', 'drivers list', 'deliveries assign'],
  },
  'charges list': {
    calls: ['charges.list', 'deliveries.listDetailed'],
    errors: ['record_not_found'],
    answers: [each('charges.list')],
    related: ['deliveries explain', 'deliveries cancel'],
  },
  'couriers list': {
    calls: ['couriers.list'],
    answers: [each('couriers.list')],
    related: ['couriers connect', 'couriers check'],
  },
  'couriers connect': {
    calls: ['couriers.list', 'couriers.connect'],
    answers: [one('couriers.connect')],
    related: ['couriers list', 'couriers check', 'secrets status'],
  },
  'couriers check': {
    calls: ['couriers.list', 'couriers.check'],
    answers: [each(courierCheck), each(courierCase, 'with the address of a server')],
    exits: { 9: 'the server fails a case', 10: 'some couriers do not accept their settings' },
    related: ['couriers connect', 'openapi', 'doctor'],
  },
  'couriers enable': {
    calls: ['couriers.enable'],
    answers: [one('couriers.enable')],
    related: ['couriers disable', 'couriers list'],
  },
  'couriers disable': {
    calls: ['couriers.disable'],
    answers: [one('couriers.disable')],
    related: ['couriers enable', 'couriers remove'],
  },
  'couriers remove': {
    calls: ['couriers.remove'],
    answers: [one('couriers.remove')],
    related: ['couriers disable', 'couriers list'],
  },
  'drivers add': {
    calls: ['drivers.create'],
    answers: [one('drivers.create')],
    related: ['drivers list', 'drivers link'],
  },
  'drivers list': {
    calls: ['drivers.list'],
    answers: [each('drivers.list')],
    related: ['drivers add', 'drivers link'],
  },
  'drivers get': {
    calls: ['drivers.get', 'drivers.list'],
    answers: [one('drivers.get')],
    related: ['drivers list', 'drivers link'],
  },
  'drivers link': {
    calls: ['drivers.link', 'drivers.list'],
    answers: [one('drivers.link')],
    related: ['drivers list', 'drivers remove'],
  },
  'drivers prices': {
    calls: ['account.get', 'account.update'],
    answers: [one(fleetPrices)],
    errors: ['not_supported'],
    related: ['drivers list', 'quotes list'],
  },
  'drivers remove': {
    calls: ['drivers.delete', 'drivers.list'],
    answers: [one('drivers.delete')],
    related: ['drivers list', 'drivers add'],
  },
  'stores create': {
    calls: ['stores.create'],
    answers: [one('stores.create')],
    related: ['stores list', 'orders create'],
  },
  'stores list': {
    calls: ['stores.list'],
    answers: [each('stores.list')],
    related: ['stores create', 'stores get'],
  },
  'stores get': {
    calls: ['stores.get'],
    answers: [one('stores.get')],
    related: ['stores update', 'stores list'],
  },
  'stores update': {
    calls: ['stores.update'],
    answers: [one('stores.update')],
    related: ['stores get', 'stores delete'],
  },
  'stores delete': {
    calls: ['stores.delete'],
    answers: [one('stores.delete')],
    related: ['stores list'],
  },
};
