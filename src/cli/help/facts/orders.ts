import { withFields } from '../shapes.ts';
import { acceptedOf, answerOf, each, type Facts, lines, listedBy, one } from './fact.ts';
import {
  arrivedAtSink,
  event,
  forwarded,
  forwardFailed,
  hint,
  importCheck,
  importSummary,
  ready,
  secretShown,
  serverDown,
  serverUp,
  shownEvent,
  verdict,
} from './own-shapes.ts';

const batchTypes = '"batch.current" | "batch.updated" | "batch.completed"';
const watchedBatch = withFields({ type: batchTypes }, answerOf('batches.get'));
const watchedQuotes = withFields(
  { type: '"route_quotes.pending" | "route_quotes.completed"' },
  answerOf('quotes.list'),
);
const watchedOrder = withFields({ type: '"order.current" | "order.updated"' }, answerOf('orders.get'));
const watchedRoute = withFields({ type: '"route.current" | "route.updated"' }, answerOf('routes.get'));
const waitedOrder = {
  calls: ['orders.get', 'orders.list', 'batches.get', 'deliveries.get'],
  exits: { 9: '--until can no longer be reached, or a status of --fail-on was reached' },
  errors: ['still_pending', 'order_STATUS'],
} as const;
const waitedRoute = {
  calls: ['routes.get'],
  exits: { 9: '--until can no longer be reached, or a status of --fail-on was reached' },
  errors: ['still_pending', 'route_STATUS'],
} as const;
const batchExits = {
  9: 'with --wait or --watch: no order was dispatched',
  10: 'with --wait or --watch: some orders were not dispatched',
} as const;
const batchErrors = [
  ...(['still_pending', 'order_STATUS'] as const),
  ...(['batch_not_dispatched', 'batch_partly_dispatched'] as const),
] as const;

/** Commands from the order to the dispatch. */
export const orderFacts: Readonly<Record<string, Facts>> = {
  'orders create': {
    calls: ['orders.create', 'orders.list'],
    answers: [
      one('orders.create', 'from one order'),
      each(answerOf('orders.create'), 'from an array of orders, without --auto'),
      one(acceptedOf('orders.create'), 'with --auto'),
      one('batches.get', 'with --auto --wait'),
    ],
    exits: { ...batchExits, 10: 'some orders were not created or not dispatched' },
    errors: batchErrors,
    related: ['routes create', 'orders get', 'orders import', 'batches get', 'ship'],
  },
  'orders import': {
    calls: ['orders.create', 'orders.createMany', 'batches.get', 'batches.list'],
    answers: [one(importSummary), one(importCheck, 'with --validate-only')],
    exits: {
      9: 'with --wait: no order was dispatched',
      10: 'some rows failed, listed with reasons in FILE.failed.csv; with --wait: some were not dispatched',
    },
    errors: [
      ...(['bad_rows', 'rows_failed', 'import_begun', 'import_running', 'import_differs'] as const),
      ...(['journal_damaged', 'file_unwritable'] as const),
      ...batchErrors,
    ],
    related: ['orders create', 'batches get', 'orders list'],
  },
  'orders list': {
    calls: ['orders.list', 'orders.get'],
    answers: [each('orders.list'), lines(watchedOrder, 'with --watch')],
    errors: ['still_pending'],
    related: ['orders get', 'orders create'],
  },
  'orders get': {
    ...waitedOrder,
    answers: [one('orders.get'), lines(watchedOrder, 'with --watch')],
    related: ['orders wait', 'orders tries', 'deliveries get', 'routes create', 'orders cancel'],
  },
  'orders wait': {
    ...waitedOrder,
    answers: [one('orders.get')],
    related: ['orders get', 'orders tries', 'batches wait', 'deliveries wait'],
  },
  'orders tries': {
    calls: ['tries.list', 'orders.list', 'deliveries.get'],
    answers: [each('tries.list')],
    related: ['orders get', 'deliveries explain', 'batches get'],
  },
  'orders cancel': {
    calls: ['orders.cancel', 'orders.get', 'orders.list', 'deliveries.get'],
    answers: [one('orders.cancel')],
    errors: ['above_max_fee'],
    related: ['orders get', 'deliveries cancel', 'batches cancel'],
  },
  'routes create': {
    calls: ['routes.create', 'orders.list', 'deliveries.get'],
    answers: [one('routes.create')],
    related: ['routes quote', 'routes get', 'orders create'],
  },
  'routes list': {
    calls: ['routes.list', 'routes.get'],
    answers: [each('routes.list'), lines(watchedRoute, 'with --watch')],
    errors: ['still_pending'],
    related: ['routes get', 'routes create'],
  },
  'routes get': {
    ...waitedRoute,
    answers: [one('routes.get'), lines(watchedRoute, 'with --watch')],
    related: ['routes wait', 'quotes list', 'dispatch', 'routes delete'],
  },
  'routes wait': {
    ...waitedRoute,
    answers: [one('routes.get')],
    related: ['routes get', 'quotes wait', 'deliveries wait'],
  },
  'routes delete': {
    calls: ['routes.delete'],
    answers: [one('routes.delete')],
    related: ['routes create', 'routes list'],
  },
  'routes quote': {
    calls: ['quotes.request', 'quotes.list'],
    answers: [one('quotes.request'), one('quotes.list', 'with --wait'), lines(watchedQuotes, 'with --watch')],
    exits: { 9: 'with --wait or --watch: no provider offers a quote' },
    errors: ['quotes_not_ready', 'no_quotes'],
    related: ['quotes list', 'dispatch'],
  },
  'quotes list': {
    calls: ['quotes.list'],
    answers: [one('quotes.list'), lines(watchedQuotes, 'with --watch')],
    exits: { 8: 'quotes are still pending', 9: 'no provider offers a quote' },
    errors: ['quotes_not_ready', 'no_quotes'],
    related: ['dispatch', 'routes quote'],
  },
  'quotes wait': {
    calls: ['quotes.list', 'routes.get'],
    answers: [one('quotes.list')],
    exits: { 8: 'quotes did not arrive in time', 9: 'no provider offers a quote' },
    errors: ['quotes_not_ready', 'no_quotes'],
    related: ['quotes list', 'routes quote', 'dispatch'],
  },
  'batches list': {
    calls: ['batches.list'],
    answers: [
      each('batches.list'),
      lines(withFields({ type: batchTypes }, listedBy('batches.list')), 'with --watch'),
    ],
    errors: ['still_pending'],
    related: ['batches get', 'orders list'],
  },
  'batches get': {
    calls: ['batches.get'],
    answers: [one('batches.get'), lines(watchedBatch, 'with --watch')],
    exits: batchExits,
    errors: batchErrors,
    related: ['batches wait', 'orders tries', 'batches cancel', 'deliveries list'],
  },
  'batches wait': {
    calls: ['batches.get'],
    answers: [one('batches.get')],
    exits: {
      9: 'no order was dispatched, or one reached a status of --fail-on',
      10: 'some orders were not dispatched',
    },
    errors: batchErrors,
    related: ['batches get', 'orders wait', 'orders tries'],
  },
  'batches cancel': {
    calls: ['batches.cancel', 'batches.get'],
    answers: [one('batches.cancel'), lines(watchedBatch, 'with --watch')],
    errors: ['still_pending'],
    related: ['batches get', 'orders cancel', 'deliveries cancel'],
  },
  new: {
    calls: [
      'orders.create',
      'orders.list',
      'routes.create',
      'quotes.request',
      'quotes.list',
      'dispatches.create',
    ],
    answers: [],
    exits: { 3: 'saved to continue later', 9: 'a courier declined at once' },
    errors: ['plan_broken', 'plan_unusable', 'nothing_to_resume', 'wizard_running', 'delivery_failed'],
    related: ['ship', 'orders create', 'dispatch'],
  },
  dispatch: {
    calls: [
      ...(['dispatches.create', 'quotes.list', 'quotes.request', 'routes.get'] as const),
      ...(['deliveries.get', 'drivers.list'] as const),
    ],
    answers: [one('dispatches.create')],
    exits: {
      8: 'quotes are still pending; with --wait: timed out',
      9: 'no quotes, a courier declined at once; with --wait: a delivery ended unsuccessfully',
    },
    errors: ['above_max_cost', 'no_quotes', 'delivery_failed', 'still_pending', 'delivery_STATUS'],
    related: ['quotes list', 'deliveries watch', 'deliveries cancel'],
  },
  ship: {
    calls: ['orders.create', 'routes.create', 'quotes.request', 'quotes.list', 'dispatches.create'],
    answers: [one('dispatches.create')],
    exits: {
      9: 'no quotes, a courier declined; with --wait: a delivery ended unsuccessfully',
      10: 'some orders were not created',
    },
    errors: [
      ...(['above_max_cost', 'duplicate_ref', 'quotes_not_ready', 'no_quotes'] as const),
      ...(['delivery_failed', 'still_pending'] as const),
    ],
    related: ['orders create', 'deliveries wait', 'deliveries explain'],
  },
};

/** Commands for events and webhooks. */
export const eventFacts: Readonly<Record<string, Facts>> = {
  'events list': {
    calls: ['events.list', 'deliveries.listDetailed', 'batches.get'],
    errors: ['record_not_found'],
    answers: [each(event)],
    related: ['events get', 'events tail', 'events resend'],
  },
  'events get': {
    calls: ['events.get'],
    answers: [one(event)],
    related: ['events list', 'events resend'],
  },
  'events tail': {
    calls: ['events.stream', 'deliveries.listDetailed', 'batches.get'],
    answers: [lines(event), lines(hint, 'on stderr, when a problem needs attention')],
    errors: ['unknown_field'],
    related: ['events list', 'listen', 'deliveries watch'],
  },
  'events resend': {
    calls: ['events.resend', 'events.get'],
    answers: [one('events.resend', 'of one event'), each(answerOf('events.resend'), 'of several')],
    exits: { 9: 'no endpoint subscribes to this event type', 10: 'some events were not sent' },
    errors: ['no_webhook_endpoint', 'some_not_resent'],
    related: ['events list', 'webhooks attempts'],
  },
  'webhooks create': {
    calls: ['webhooks.create'],
    answers: [one('webhooks.create')],
    related: ['webhooks test', 'webhooks verify', 'webhooks list', 'listen'],
  },
  'webhooks list': {
    calls: ['webhooks.list'],
    answers: [each('webhooks.list')],
    related: ['webhooks get', 'webhooks create'],
  },
  'webhooks get': {
    calls: ['webhooks.get'],
    answers: [one('webhooks.get')],
    related: ['webhooks attempts', 'webhooks update', 'webhooks test'],
  },
  'webhooks update': {
    calls: ['webhooks.update'],
    answers: [one('webhooks.update')],
    related: ['webhooks get', 'webhooks delete'],
  },
  'webhooks delete': {
    calls: ['webhooks.delete'],
    answers: [one('webhooks.delete')],
    related: ['webhooks update', 'webhooks list'],
  },
  'webhooks rotate-secret': {
    calls: ['webhooks.rotate'],
    answers: [one('webhooks.rotate')],
    related: ['webhooks verify', 'webhooks get'],
  },
  'webhooks test': {
    calls: ['webhooks.test'],
    answers: [one('webhooks.test')],
    exits: { 9: 'the endpoint did not accept the event' },
    errors: ['webhook_attempt_failed'],
    related: ['webhooks attempts', 'webhooks verify'],
  },
  'webhooks attempts': {
    calls: ['webhooks.attempts', 'webhooks.list', 'events.get'],
    answers: [each('webhooks.attempts')],
    related: ['events resend', 'webhooks test'],
  },
  'webhooks verify': {
    calls: [],
    answers: [one(verdict)],
    exits: { 9: 'the webhook is not valid' },
    errors: ['webhook_not_valid'],
    related: ['webhooks rotate-secret', 'listen'],
  },
  listen: {
    calls: ['events.stream'],
    answers: [
      lines(ready, 'first'),
      lines(forwarded),
      lines(forwardFailed),
      lines(shownEvent, 'for an event that no destination takes'),
      lines(serverDown, 'when a server stops responding'),
      lines(serverUp),
      lines(arrivedAtSink, 'with --sink'),
      lines(secretShown, 'with --print-secret alone'),
      lines(hint, 'on stderr, when a problem needs attention'),
    ],
    errors: ['unknown_field'],
    related: ['events tail', 'webhooks create', 'webhooks verify'],
  },
};
