import { withFields } from '../shapes.ts';
import { acceptedOf, answerOf, each, type Facts, lines, listedBy, one } from './fact.ts';
import { importCheck, importSummary } from './own-shapes.ts';

const batchTypes = '"batch.current" | "batch.updated" | "batch.completed"';
const watchedBatch = withFields({ type: batchTypes }, answerOf('batches.get'));
const watchedQuotes = withFields(
  { type: '"route_quotes.pending" | "route_quotes.completed"' },
  answerOf('quotes.list'),
);
const batchExits = {
  9: 'with --wait or --watch: none of the orders was dispatched',
  10: 'with --wait or --watch: some of the orders were not dispatched',
} as const;
const batchErrors = ['still_pending', 'batch_not_dispatched', 'batch_partly_dispatched'] as const;

/** Commands from an order to its dispatch. */
export const orderFacts: Readonly<Record<string, Facts>> = {
  'orders create': {
    calls: ['orders.create'],
    answers: [
      one('orders.create', 'from one order'),
      each(answerOf('orders.create'), 'from an array of orders, without --auto'),
      one(acceptedOf('orders.create'), 'with --auto'),
      one('batches.get', 'with --auto --wait'),
    ],
    exits: { ...batchExits, 10: 'some of the orders were not made, or not dispatched' },
    errors: batchErrors,
    related: ['routes create', 'orders get', 'orders import', 'batches get', 'ship'],
  },
  'orders import': {
    calls: ['orders.create', 'batches.get'],
    answers: [one(importSummary), one(importCheck, 'with --validate-only')],
    exits: { 10: 'some rows were not made: they stand in FILE.failed.csv with the reasons' },
    errors: [
      ...(['bad_rows', 'rows_failed', 'import_begun', 'import_running', 'import_differs'] as const),
      ...(['journal_damaged', 'file_unwritable'] as const),
    ],
    related: ['orders create', 'batches get', 'orders list'],
  },
  'orders list': {
    calls: ['orders.list'],
    answers: [each('orders.list')],
    related: ['orders get', 'orders create'],
  },
  'orders get': {
    calls: ['orders.get'],
    answers: [one('orders.get')],
    related: ['orders tries', 'deliveries get', 'routes create', 'orders cancel'],
  },
  'orders tries': {
    calls: ['tries.list'],
    answers: [each('tries.list')],
    related: ['orders get', 'deliveries explain', 'batches get'],
  },
  'orders cancel': {
    calls: ['orders.cancel'],
    answers: [one('orders.cancel')],
    errors: ['above_max_fee'],
    related: ['orders get', 'deliveries cancel', 'batches cancel'],
  },
  'routes create': {
    calls: ['routes.create'],
    answers: [one('routes.create')],
    related: ['routes quote', 'routes get', 'orders create'],
  },
  'routes list': {
    calls: ['routes.list'],
    answers: [each('routes.list')],
    related: ['routes get', 'routes create'],
  },
  'routes get': {
    calls: ['routes.get'],
    answers: [one('routes.get')],
    related: ['quotes list', 'dispatch', 'routes delete'],
  },
  'routes delete': {
    calls: ['routes.delete'],
    answers: [one('routes.delete')],
    related: ['routes create', 'routes list'],
  },
  'routes quote': {
    calls: ['quotes.request', 'quotes.list'],
    answers: [one('quotes.request'), one('quotes.list', 'with --wait'), lines(watchedQuotes, 'with --watch')],
    exits: { 9: 'with --wait or --watch: no provider takes the route' },
    errors: ['no_quotes'],
    related: ['quotes list', 'dispatch'],
  },
  'quotes list': {
    calls: ['quotes.list'],
    answers: [one('quotes.list'), lines(watchedQuotes, 'with --watch')],
    exits: { 8: 'the quotes are not there yet', 9: 'no provider takes the route' },
    errors: ['no_quotes'],
    related: ['dispatch', 'routes quote'],
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
    related: ['orders tries', 'batches cancel', 'deliveries list'],
  },
  'batches cancel': {
    calls: ['batches.cancel', 'batches.get'],
    answers: [one('batches.cancel'), lines(watchedBatch, 'with --watch')],
    errors: ['still_pending'],
    related: ['batches get', 'orders cancel', 'deliveries cancel'],
  },
  dispatch: {
    calls: ['dispatches.create', 'quotes.list', 'routes.get'],
    answers: [one('dispatches.create')],
    exits: { 8: 'the quotes are not there yet', 9: 'no quotes, or a courier refused at once' },
    errors: ['above_max_cost', 'no_quotes', 'delivery_failed'],
    related: ['quotes list', 'deliveries watch', 'deliveries cancel'],
  },
  ship: {
    calls: ['orders.create', 'routes.create', 'quotes.request', 'quotes.list', 'dispatches.create'],
    answers: [one('dispatches.create')],
    exits: {
      9: 'no quotes, a courier refused, or with --wait: a delivery ended badly',
      10: 'some of the orders were not made',
    },
    errors: ['above_max_cost', 'no_quotes', 'delivery_failed', 'still_pending'],
    related: ['orders create', 'deliveries wait', 'deliveries explain'],
  },
};
