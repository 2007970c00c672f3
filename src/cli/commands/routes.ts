/** `routes`: drafts of the orders that are typed or read from stdin, their stops and quotes. */
import type { Job } from '../../contract/routes.ts';
import { routeStatuses } from '../../contract/vocabulary.ts';
import { earlierRoute } from '../flow/deliver.ts';
import { choicesFlag, switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, deletedFields, recordResult } from '../kit/result/result.ts';
import { findOrderIds } from '../nouns/find-order.ts';
import { refuseSent } from '../nouns/order-checks.ts';
import { requestQuotes } from '../nouns/quote.ts';
import { quoteColumns } from '../nouns/quote-columns.ts';
import { waitForQuotes, watchQuotes } from '../nouns/quote-waiting.ts';
import {
  createRoute,
  findRouteId,
  routeColumns,
  routeFields,
  routeRecordColumns,
  routeWord,
} from '../nouns/route.ts';
import { defineCommand, isOwnService, positional, positionals } from '../session/command.ts';
import { readListView, viewFlags } from '../session/list-view.ts';
import { listing, pagingFlags } from '../session/listing.ts';
import { checkWaiting, toWaiting, waitFlag, watchFlags } from '../waiting/waiting-flags.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['new'],
  summary: 'Create a draft route from orders',
  description: [
    'Orders can be given by order ID, by your own reference, or by delivery ID. On stdin, put one per line; IDs may',
    'also be separated by spaces.',
  ].join('\n'),
  positionals: {
    order: positionals('order', {
      summary: 'Open orders (up to 25), by ID or your reference; - reads them from stdin',
      statuses: ['open', 'failed', 'unfulfilled'],
    }),
  },
  flags: {
    optimize: switchFlag({
      summary: 'Find the shortest sequence of stops (default: in the order given)',
      default: true,
    }),
  },
  examples: [
    { command: 'waybill routes create ORDER', summary: 'Create a route with one order' },
    { command: 'waybill routes create "#1042" "#1043"', summary: 'Use your own references' },
    { command: 'waybill routes create - < orders.txt', summary: 'Read orders from a file' },
  ],
  effect: 'write',
  calls: ['routes.create', 'routes.get', 'orders.list', 'orders.get', 'deliveries.get'],
  answers: ({ one }) => [one('routes.create')],
  related: ['routes quote', 'routes get', 'orders create'],
  async run(context, { flags: { optimize }, positionals: { order: typed } }) {
    const piped = typed.includes('-') ? namesIn(await context.readFile('-')) : [];
    const words = typed.flatMap((word) => (word === '-' ? piped : [word]));
    const order_ids = await findOrderIds(context, words);
    // Another service may not refuse it itself.
    if (!isOwnService(context)) await refuseSent(context, order_ids);
    const created = await createRoute(context, { order_ids, optimize }, context.idempotencyKey());
    const route = created.isNew ? created.route : await earlierRoute(context, created.route.id, order_ids);
    const isDraft = route.status === 'draft';
    const next = isDraft
      ? invocation('routes quote', [route.id], { watch: true })
      : invocation('routes get', [route.id]);
    const notes = [phrase`Next: ${next}`];
    return recordResult(route, routeFields(route), { notes });
  },
});

/** The orders named on stdin. A line whose words are not all IDs is a reference, which may have spaces. */
function namesIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const names = lines.flatMap((line) => {
    const words = line.split(/\s+/);
    return words.every(isId) ? words : [line];
  });
  const given = names.filter((name) => name !== '');
  if (given.length === 0) throw new UsageError('Nothing on stdin: expected order IDs or your references.');
  return given;
}

function isId(word: string): boolean {
  return word.startsWith('ord_') || word.startsWith('dlv_');
}

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List routes, newest first',
  flags: {
    status: choicesFlag({ summary: 'Filter by status', choices: routeStatuses, placeholder: 'STATUSES' }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill routes list --status draft', summary: 'List routes that are not dispatched' },
  ],
  columns: routeColumns,
  effect: 'read',
  calls: ['routes.list'],
  answers: ({ each }) => [each('routes.list')],
  related: ['routes get', 'routes create'],
  async run(context, { flags }) {
    const { status } = flags;
    const client = await context.client();
    return listing(context, {
      list: client.routes.list,
      query: { status },
      paging: flags,
      columns: routeColumns,
      command: invocation('routes list'),
      filters: { status: status?.join(',') },
      empty: 'No routes found.',
      start: phrase`No routes yet. Create one: ${invocation('routes create', ['ORDER'])}`,
    });
  },
});

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a route, stop by stop',
  positionals: { route: positional('route', { summary: routeWord }) },
  examples: [{ command: 'waybill routes get ROUTE', summary: 'Show its orders, stops and distance' }],
  columns: routeRecordColumns,
  effect: 'read',
  calls: ['routes.get', 'orders.list', 'orders.get'],
  answers: ({ one }) => [one('routes.get')],
  related: ['quotes list', 'deliveries wait', 'dispatch', 'routes delete'],
  async run(context, { positionals }) {
    const route_id = await findRouteId(context, positionals.route);
    const client = await context.client();
    const { data } = await client.routes.get({ params: { route_id } });
    return recordResult(data, routeFields(data));
  },
});

const jobFields: Column<Job & { route_id: string }>[] = [{ field: 'job_id', header: 'Job', kind: 'id' }];

export const quote = defineCommand({
  name: 'quote',
  summary: 'Request provider quotes for a draft route',
  description: 'Requesting quotes again starts a new round; earlier quotes are no longer listed.',
  positionals: { route: positional('route', { summary: routeWord, statuses: ['draft'] }) },
  flags: {
    ...viewFlags,
    wait: waitFlag('Wait, then print the quotes: as --filter and --sort do'),
    ...watchFlags('all quotes have arrived', 'about two minutes'),
  },
  examples: [
    { command: 'waybill routes quote ROUTE --watch', summary: 'Request quotes and wait for them' },
    { command: 'waybill routes quote ROUTE --json', summary: 'Request quotes and print the job' },
  ],
  columns: quoteColumns(0),
  effect: 'write',
  calls: ['quotes.request', 'quotes.list', 'routes.get', 'orders.list', 'orders.get', 'batches.get'],
  answers: ({ one, lines, withFields, answerOf }) => [
    one(withFields({ route_id: 'string' }, answerOf('quotes.request'))),
    one('quotes.list', 'with --wait'),
    lines(
      withFields({ type: '"route_quotes.pending" | "route_quotes.completed"' }, answerOf('quotes.list')),
      'with --watch',
    ),
  ],
  exits: { 9: 'with --wait or --watch: no provider offers a quote' },
  errors: ['quotes_not_ready', 'no_quotes'],
  related: ['quotes list', 'dispatch'],
  async run(context, { flags, positionals }) {
    const { watch, filter, sort } = flags;
    const wait = flags.wait || (!watch && (filter !== undefined || sort !== undefined));
    checkWaiting(context, { watch, wait });
    const view = await readListView(context, flags, quoteColumns(0));
    const route = await findRouteId(context, positionals.route);
    const job = await requestQuotes(context, route, context.idempotencyKey());
    if (watch || wait) {
      const waiting = { ...toWaiting(flags), isRequested: true, view };
      return watch ? watchQuotes(context, route, waiting) : waitForQuotes(context, route, waiting);
    }
    const notes = [phrase`Requesting quotes. Next: ${invocation('quotes list', [route], { watch: true })}`];
    return recordResult({ ...job, route_id: route }, jobFields, { notes });
  },
});

export const deleteRoute = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a draft route and reopen its orders',
  positionals: { route: positional('route', { summary: routeWord, statuses: ['draft'] }) },
  examples: [{ command: 'waybill routes delete ROUTE', summary: 'Delete a draft route' }],
  effect: 'write',
  calls: ['routes.delete', 'orders.list', 'orders.get'],
  answers: ({ one }) => [one('routes.delete')],
  related: ['routes create', 'routes list'],
  async run(context, { positionals }) {
    const route_id = await findRouteId(context, positionals.route);
    const client = await context.client();
    const { data } = await client.routes.delete({ params: { route_id } });
    return recordResult(data, deletedFields, {
      notes: ['Its orders are open again and can be added to another route.'],
    });
  },
});
