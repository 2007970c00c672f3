/** `webhooks attempts`: the attempts of one endpoint or all, and which failures were made good later. */
import { records } from '../../../client/pages.ts';
import type { WebhookAttempt } from '../../../contract/events.ts';
import type { AttemptStatus } from '../../../contract/vocabulary.ts';
import { switchFlag, textFlag } from '../../kit/args/flags.ts';
import { BadOutcome, UsageError } from '../../kit/errors/failure.ts';
import { invocation, type NextStep, phrase, type Text } from '../../kit/result/message.ts';
import {
  type Column,
  isForPeople,
  type ListResult,
  listResult,
  type Result,
  recordResult,
} from '../../kit/result/result.ts';
import { otherMarks } from '../../nouns/find-order.ts';
import { type Context, defineCommand, type FlagValues, positional } from '../../session/command.ts';
import { bindFilter, shownZone, withNamedColumns } from '../../session/list-view.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { filterColumns, withConditions } from '../../session/record-filter.ts';
import { columnOrder } from '../../session/record-sort.ts';

/** Columns of webhook attempts. `-o id` prints event IDs, as events are what can be resent. */
const attemptColumns: readonly Column<WebhookAttempt>[] = [
  { field: 'created_at', header: 'When', kind: 'time', spare: 5 },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'status_code', header: 'Code', kind: 'text' },
  { field: 'event_type', header: 'Type', kind: 'text', spare: 4 },
  { field: 'external_order_ref', header: 'Ref', kind: 'text', unlessEmpty: true },
  { field: 'number', header: 'Try', kind: 'count', spare: 3 },
  { field: 'reason', header: 'Reason', kind: 'text', prose: true },
  { field: 'next_attempt_at', header: 'Next', kind: 'clock', spare: 6 },
  { field: 'duration_ms', header: 'Took (ms)', kind: 'count', spare: 2 },
  { field: 'event_id', header: 'Event', kind: 'id' },
  { field: 'delivery_id', header: 'Delivery', kind: 'id', wide: true },
  { field: 'sequence', header: 'Sequence', kind: 'text', wide: true },
  { field: 'response', header: 'Response', kind: 'text', spare: 1, unlessEmpty: true },
  { field: 'id', header: 'Attempt', kind: 'id', wide: true },
];

export const attempts = defineCommand({
  name: 'attempts',
  aliases: ['tries', 'log', 'deliveries'],
  summary: 'List delivery attempts, newest first; events resend repeats one',
  description: [
    'Shows the result of each attempt and when it is retried; without ENDPOINT, of all endpoints together. --exhausted',
    'lists events that are no longer retried. -o id prints the event IDs, ready for events resend.',
  ].join('\n'),
  positionals: {
    endpoint: positional('webhook_endpoint', {
      summary: 'Endpoint ID, or the reference of a delivery',
      optional: true,
    }),
  },
  flags: {
    failed: switchFlag({ summary: 'Only failed attempts' }),
    succeeded: switchFlag({ summary: 'Only successful attempts' }),
    exhausted: switchFlag({ summary: 'Only failed attempts without another retry' }),
    event: textFlag({ summary: 'Filter by event', placeholder: 'EVENT', aliases: ['event-id'] }),
    ...pagingFlags,
  },
  flagHints: { '--status': 'Did you mean --failed, --succeeded or --exhausted?' },
  examples: [
    { command: 'waybill webhooks attempts --failed', summary: 'List what failed at any endpoint' },
    { command: 'waybill webhooks attempts ENDPOINT', summary: 'List the latest attempts' },
    {
      command: 'waybill webhooks attempts ENDPOINT --event EVENT',
      summary: 'Show the attempts for one event',
    },
    {
      command:
        'waybill webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT',
      summary: 'Resend events whose retries are exhausted',
    },
  ],
  columns: attemptColumns,
  effect: 'read',
  calls: ['webhooks.attempts', 'webhooks.list', 'events.get', 'deliveries.list'],
  answers: ({ each }) => [each('webhooks.attempts')],
  related: ['events resend', 'webhooks test'],
  async run(context, { flags, positionals: { endpoint } }) {
    const { failed, succeeded, exhausted, event } = flags;
    const status = statusOf({ failed: failed || exhausted, succeeded });
    const client = await context.client();
    if (event !== undefined) await client.events.get({ params: { event_id: event } });
    const filter = { status, event_id: event, last: exhausted || undefined };
    if (endpoint?.startsWith('whe_') !== true)
      return attemptsOfAll(context, filter, ofDelivery(flags, endpoint));
    const params = { webhook_endpoint_id: endpoint };
    const taken = failed && !exhausted ? await takenEvents(context, endpoint) : noEvents;
    const listed: WebhookAttempt[] = [];
    return listing(context, {
      onListed: (attempt) => listed.push(attempt),
      notes: () => takenNotes(listed, taken),
      list: ({ query }) => client.webhooks.attempts({ params, query: { ...query, ...filter } }),
      query: {},
      paging: flags,
      columns: withTaken(attemptColumns, taken),
      zone: await shownZone(context),
      command: invocation('webhooks attempts', [endpoint]),
      filters: { failed: failed && !exhausted, succeeded, exhausted, event },
      empty: 'No attempts found.',
    });
  },
});

/** A word that is no endpoint is the reference or ID of a delivery. */
function ofDelivery(flags: FlagValues<typeof pagingFlags>, word: string | undefined) {
  const names = word === undefined ? [] : [word, ...otherMarks(word)].map((name) => name.replaceAll('"', ''));
  const tests = names.flatMap((name) => [`external_order_ref = "${name}"`, `delivery_id = "${name}"`]);
  const condition = tests.length > 0 && tests.join(' or ');
  return { ...flags, filter: withConditions(flags.filter, [condition], attemptColumns) };
}

/** When an endpoint took an event last, by both. */
type Taken = ReadonlyMap<string, string>;

const noEvents: Taken = new Map();

const takenKey = ({ webhook_endpoint_id, event_id }: WebhookAttempt) => `${webhook_endpoint_id} ${event_id}`;

/** Whether the endpoint of a failed attempt took the event in a later one. */
function isTakenSince(attempt: WebhookAttempt, taken: Taken): boolean {
  return (taken.get(takenKey(attempt)) ?? '') > attempt.created_at;
}

/** The events that an endpoint took at last, as far as its newest attempts say. */
async function takenEvents({ client }: Context, webhook_endpoint_id: string): Promise<Taken> {
  const query = { status: 'succeeded', limit: 100 } as const;
  const { data } = await (await client()).webhooks.attempts({ params: { webhook_endpoint_id }, query });
  // The newest are first.
  return new Map(data.data.toReversed().map((attempt) => [takenKey(attempt), attempt.created_at]));
}

/** Says beside a failed attempt that a later one arrived. */
function withTaken(columns: readonly Column<WebhookAttempt>[], taken: Taken): Column<WebhookAttempt>[] {
  const value = (attempt: WebhookAttempt) => (isTakenSince(attempt, taken) ? 'taken since' : '');
  return [
    ...columns,
    { field: 'taken', header: 'Now', kind: 'text', only: 'people', unlessEmpty: true, value },
  ];
}

function takenNotes(listed: readonly WebhookAttempt[], taken: Taken): Text[] {
  const found = listed.filter((attempt) => isTakenSince(attempt, taken));
  const count = new Set(found.map(({ event_id }) => event_id)).size;
  if (count === 0) return [];
  const events = count === 1 ? '1 of these events was' : `${count} of these events were`;
  return [
    phrase`${events} taken since. Those that never were: ${invocation('webhooks attempts', [], { exhausted: true })}`,
  ];
}

function statusOf({ failed, succeeded }: { failed: boolean; succeeded: boolean }): AttemptStatus | undefined {
  if (failed && succeeded)
    throw new UsageError('--succeeded cannot be combined with --failed or --exhausted.');
  if (failed) return 'failed';
  return succeeded ? 'succeeded' : undefined;
}

const endpointColumn: Column<WebhookAttempt> = {
  field: 'webhook_endpoint_id',
  header: 'Endpoint',
  kind: 'text',
};

/** The columns for all endpoints: a narrow table leaves the event out, and the endpoint is shown if there are several. */
function columnsFor(endpoints: number): Column<WebhookAttempt>[] {
  const all = attemptColumns.map((column) =>
    column.field === 'event_id' ? { ...column, spare: 1 } : column,
  );
  return endpoints > 1 ? [...all, endpointColumn] : [...all, { ...endpointColumn, wide: true }];
}

interface AttemptFilter {
  status: AttemptStatus | undefined;
  event_id: string | undefined;
  last: true | undefined;
}

/** The newest attempts of all endpoints together, at most `limit` of them, or all. UsageError with a cursor. */
async function attemptsOfAll(
  context: Context,
  filter: AttemptFilter,
  { limit, all, cursor, filter: typed, sort }: FlagValues<typeof pagingFlags>,
): Promise<ListResult> {
  if (cursor !== undefined) throw new UsageError('--cursor continues the list of one endpoint: name it.');
  const client = await context.client();
  const bound = await bindFilter(context, typed, attemptColumns);
  const max_count = all ? Number.POSITIVE_INFINITY : limit;
  const max_read = bound === undefined && sort === undefined ? max_count : Number.POSITIVE_INFINITY;
  const found: WebhookAttempt[] = [];
  let endpoints = 0;
  const taken = new Map<string, string>();
  for await (const { id } of records(client.webhooks.list, {})) {
    endpoints += 1;
    found.push(...(await fetchNewest(context, id, filter, max_read)));
    if (filter.status === 'failed' && !filter.last)
      for (const [key, at] of await takenEvents(context, id)) taken.set(key, at);
  }
  const order = sort && columnOrder(sort, attemptColumns);
  const sorted = found
    .filter((attempt) => bound?.keep(attempt) !== false)
    .sort((left, right) => Date.parse(right.created_at) - Date.parse(left.created_at))
    .sort(order ?? (() => 0));
  const data = sorted.slice(0, max_count);
  const rest = sorted.length > data.length ? ['There is more: pass --all, or an endpoint.'] : [];
  const names = [...(typed ? filterColumns(typed) : []), sort?.name ?? ''];
  const shown = isForPeople(context.output.format)
    ? withNamedColumns(columnsFor(endpoints), names)
    : columnsFor(endpoints);
  const create = invocation('webhooks create', ['URL']);
  const zone = await shownZone(context);
  return listResult({
    data,
    columns: withTaken(shown, taken).map((column) => ({ ...column, zone: () => zone })),
    notes: [...takenNotes(data, taken), ...rest],
    empty:
      endpoints === 0
        ? phrase`No webhook endpoints found. Add one: ${create}`
        : (found.length > 0 && bound?.explain(found.length)) || 'No attempts found.',
  });
}

/** The newest attempts of an endpoint: one more than `max_count`, so that it is known whether there are more. */
async function fetchNewest(
  context: Context,
  webhook_endpoint_id: string,
  filter: AttemptFilter,
  max_count: number,
): Promise<WebhookAttempt[]> {
  const client = await context.client();
  const params = { webhook_endpoint_id };
  const found: WebhookAttempt[] = [];
  const page = ({ query }: { query: object }) =>
    client.webhooks.attempts({ params, query: { ...query, ...filter } });
  for await (const attempt of records(page, { limit: Math.min(100, max_count + 1) })) {
    found.push(attempt);
    if (found.length > max_count) break;
  }
  return found;
}

/** The result of a requested attempt; exit 9 with the reason if it failed. */
export function attemptResult(attempt: WebhookAttempt): Result {
  const { status, status_code, reason, response, duration_ms, webhook_endpoint_id } = attempt;
  if (status === 'succeeded')
    return recordResult(attempt, attemptColumns, {
      notes: [`It was taken with ${status_code ?? 'no code'} after ${duration_ms} ms.`],
    });
  throw new BadOutcome(`${webhook_endpoint_id} did not take the event: ${sentence(reason)}`, {
    code: 'webhook_attempt_failed',
    ...(response === '' ? {} : { why: `It answered: ${response}` }),
    hint:
      status_code === 410
        ? 'Its 410 has disabled it: nothing more is sent to it.'
        : 'It takes an event by an answer of 200 to 299 within 15 seconds.',
    next: [
      ...(status_code === 410 ? [enableStep(webhook_endpoint_id)] : []),
      { ...invocation('webhooks get', [webhook_endpoint_id]), when: 'see its URL' },
      { ...invocation('webhooks test', [webhook_endpoint_id]), when: 'try again' },
    ],
    answer: recordResult(attempt, attemptColumns),
  });
}

function enableStep(endpoint: string): NextStep {
  return {
    ...invocation('webhooks update', [endpoint], { enable: true }),
    when: 'switch it on again',
  };
}

function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
