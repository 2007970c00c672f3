import { ApiError, unlessMissing } from '../../client/errors.ts';
import type { FollowOptions } from '../../client/event-stream.ts';
import type { Event, Resent } from '../../contract/events.ts';
import { reportOf } from '../errors/error-report.ts';
import { integerFlag, textFlag } from '../kit/args/flags.ts';
import { momentFlag } from '../kit/args/time-arguments.ts';
import { BadOutcome, DryRun, type ExitCode, Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation, phrase, plainText, type Text } from '../kit/result/message.ts';
import {
  type Column,
  documentResult,
  type ListResult,
  listResult,
  type Result,
  recordResult,
  type StreamLine,
  streamFormats,
} from '../kit/result/result.ts';
import { getBatch } from '../nouns/batch.ts';
import {
  eventCells,
  eventColumns,
  eventShape,
  eventText,
  hintShape,
  openEventStream,
  sendersNotes,
  typesFlag,
  warnOfStillClock,
} from '../nouns/event.ts';
import { findDeliveryId } from '../nouns/find-delivery.ts';
import { allOf, partlyDone } from '../nouns/order-sending.ts';
import { type Context, defineCommand, positional, positionals } from '../session/command.ts';
import { listing, pagingFlags } from '../session/listing.ts';
import { pastInstantOf } from '../session/service-times.ts';

/** The record whose events are shown. */
const recordFlags = {
  delivery: textFlag({
    summary: 'Filter by delivery: its ID, your reference, or a phone number',
    placeholder: 'DELIVERY',
    aliases: ['delivery-id'],
  }),
  batch: textFlag({
    summary: 'Filter by batch, including its orders',
    placeholder: 'BATCH',
    aliases: ['batch-id'],
  }),
};

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List events, newest first',
  description: [
    'Each event contains a snapshot of its record; --json shows it in full. The events of a delivery are numbered by',
    '`sequence`, starting at 1 without gaps.',
  ].join('\n'),
  flags: {
    type: typesFlag({
      summary: "Filter by event type, comma-separated, or 'delivery.*'",
      aliases: ['types', 'events'],
    }),
    ...recordFlags,
    since: momentFlag({ isPast: true, summary: 'Created at or after a time, such as 2h or 1d ago' }),
    ...pagingFlags,
  },
  flagHints: {
    '--failed': phrase`Did you mean ${invocation('webhooks attempts', [], { failed: true })}?`,
  },
  examples: [
    { command: 'waybill events list --delivery DELIVERY', summary: 'Show the events of a delivery' },
    { command: 'waybill events list --batch BATCH --all', summary: 'Show the events of a batch' },
    { command: 'waybill events list --since 1h --all -o ndjson', summary: 'Export the last hour as NDJSON' },
  ],
  columns: eventColumns,
  effect: 'read',
  calls: ['events.list', 'deliveries.listDetailed', 'batches.get'],
  answers: (of) => [of.each(eventShape(of))],
  errors: ['record_not_found'],
  related: ['events get', 'events tail', 'events resend'],
  async run(context, { flags }) {
    const client = await context.client();
    const { batch } = flags;
    const type = flags.type.length === 0 ? undefined : flags.type.join(',');
    const delivery = flags.delivery && (await findDeliveryId(context, flags.delivery));
    const since = flags.since && (await pastInstantOf(context, flags.since));
    // Fails with exit 5 if the batch does not exist, instead of listing nothing.
    if (batch !== undefined) await getBatch(context, batch);
    return listing({
      list: client.events.list,
      query: { type, delivery_id: delivery, batch_id: batch, since },
      paging: flags,
      columns: eventColumns,
      command: invocation('events list'),
      filters: { type, delivery, batch, since },
      empty: 'No events found.',
      start: phrase`No events yet. A delivery causes the first: ${invocation('ship')}`,
    });
  },
});

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an event as JSON',
  positionals: { event: positional('event', { summary: 'Event ID' }) },
  examples: [{ command: 'waybill events get EVENT', summary: 'Show the full event' }],
  effect: 'read',
  calls: ['events.get'],
  answers: (of) => [of.one(eventShape(of))],
  related: ['events list', 'events resend'],
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.events.get({ params: { event_id: positionals.event } });
    const { output, globals } = context;
    // The whole event, except in formats with one line for each record.
    const isLine = output.format === 'csv' || output.format === 'id' || globals.output === 'tsv';
    return isLine ? recordResult(data, eventColumns) : documentResult(data);
  },
});

export const tail = defineCommand({
  name: 'tail',
  aliases: ['follow', 'watch'],
  summary: 'Stream events until Ctrl+C',
  description: [
    'If the connection is lost, the stream continues after the last event. With --json each line is an event. Webhook',
    'endpoints are not affected.',
  ].join('\n'),
  flags: {
    type: typesFlag({ summary: 'Filter by event type, comma-separated', aliases: ['types', 'events'] }),
    ...recordFlags,
    since: momentFlag({ isPast: true, summary: 'Start with past events, such as 1h ago' }),
    limit: integerFlag({ summary: 'Stop after this many events', minimum: 1 }),
  },
  examples: [
    { command: 'waybill events tail', summary: 'Stream new events' },
    {
      command: 'waybill events tail --delivery DELIVERY --since 1d',
      summary: 'Include the past day of a delivery',
    },
    { command: 'waybill events tail --type batch.completed --limit 1 --json', summary: 'Wait for one event' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: ['events.stream', 'deliveries.listDetailed', 'batches.get'],
  answers: (of) => [
    of.lines(eventShape(of)),
    of.lines(hintShape(of), 'on stderr, when a problem needs attention'),
  ],
  errors: ['unknown_field'],
  related: ['events list', 'listen', 'deliveries watch'],
  async run(context, { flags: { type, delivery, batch, since, limit } }) {
    const { fields } = context.output;
    if (fields !== null) (await import('../help/command-facts.ts')).checkLineFields(tail, fields);
    const delivery_id = delivery && (await findDeliveryId(context, delivery));
    // Fails with exit 5 if the batch does not exist, instead of printing nothing.
    if (batch !== undefined) await getBatch(context, batch);
    const query = {
      types: type.length === 0 ? undefined : type,
      delivery_id,
      batch_id: batch,
      since: since && (await pastInstantOf(context, since)),
    };
    return { kind: 'stream', lines: eventLines(context, query, limit), areFieldsKnown: true };
  },
});

type Query = Pick<FollowOptions, 'types' | 'delivery_id' | 'batch_id' | 'since'>;

/** Streams events until the process is interrupted or the limit is reached. */
async function* eventLines(
  context: Context,
  query: Query,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<StreamLine> {
  // A failed clock check does not end the stream.
  const opened = () => void warnOfStillClock(context).catch(() => {});
  let count = 0;
  for await (const event of openEventStream(context, { ...query, signal: context.signal }, opened)) {
    yield { data: event, line: (show) => eventText(event, '', show), rows: [eventCells(event)] };
    count += 1;
    if (count >= limit) return;
  }
}

export const resend = defineCommand({
  name: 'resend',
  aliases: ['replay', 'redeliver'],
  summary: 'Resend events to webhook endpoints',
  description: [
    'Resends the same event with its original ID and sequence. Without --endpoint it goes to every enabled endpoint',
    'that subscribes to its type; without one, nothing is sent and the exit code is 9. Several events are sent',
    'oldest first, and an error does not stop the others: the exit code is then 10, or that of the error if none was',
    'sent.',
  ].join('\n'),
  positionals: {
    event: positionals('event', { summary: 'Event IDs; - reads them from stdin, one per line' }),
  },
  flags: {
    endpoint: textFlag({
      summary: 'Send to this endpoint only, regardless of its subscriptions',
      placeholder: 'ENDPOINT',
      aliases: ['webhook-endpoint-id'],
    }),
  },
  examples: [
    { command: 'waybill events resend EVENT', summary: 'Resend to every subscribed endpoint' },
    { command: 'waybill events resend EVENT --endpoint ENDPOINT', summary: 'Resend to one endpoint' },
    {
      command: 'waybill events list --delivery DELIVERY --all -o id | waybill events resend -',
      summary: 'Resend every event of a delivery',
    },
    {
      command:
        'waybill webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT',
      summary: 'Resend events whose retries are exhausted',
    },
  ],
  effect: 'write',
  calls: ['events.resend', 'events.get', 'webhooks.get'],
  answers: ({ one, each, answerOf }) => [
    one('events.resend', 'of one event'),
    each(answerOf('events.resend'), 'of several'),
  ],
  exits: { 9: 'no endpoint subscribes to this event type', 10: 'some events were not sent' },
  errors: ['no_webhook_endpoint', 'some_not_resent'],
  related: ['events list', 'webhooks attempts'],
  async run(context, { flags: { endpoint }, positionals: { event } }) {
    const ids = await eventIdsOf(context, event);
    const [only] = ids;
    if (event.length === 1 && only !== undefined && only === event[0])
      return resendOne(context, only, endpoint);
    return resendAll(context, ids, endpoint);
  },
});

/** Columns of resent events. */
const resentColumns: readonly Column<Resent>[] = [
  { field: 'event_id', header: 'Event', kind: 'id' },
  { field: 'webhook_endpoint_ids', header: 'To', kind: 'text' },
];

/** The endpoint to resend to; undefined: all that are subscribed to the event's type. */
type Endpoint = string | undefined;

/** Reads the IDs from the arguments, or from stdin for `-`; removes duplicates and keeps the order. */
async function eventIdsOf(context: Context, words: readonly string[]): Promise<string[]> {
  if (!words.includes('-')) return [...new Set(words)];
  if (words.length > 1) throw new UsageError('Give the ids of events, or - to read them from stdin.');
  const lines = (await context.readFile('-')).split('\n').map((line) => line.trim());
  const odd = lines.findIndex((line) => /\s/.test(line));
  if (odd !== -1) {
    throw new UsageError(`Line ${odd + 1} of stdin is not an ID: "${lines[odd]}".`, {
      hint: 'One id stands on each line, as -o id writes them.',
    });
  }
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Resends one event; exit 9 if no endpoint is subscribed to its type. */
async function resendOne(context: Context, event_id: string, endpoint: Endpoint): Promise<Result> {
  const resent = await sendAgain(context, event_id, endpoint);
  if (resent.webhook_endpoint_ids.length === 0) {
    const answer = context.output.json ? { answer: recordResult(resent, resentColumns) } : {};
    throw new BadOutcome(noSubscriberText(event_id), { ...noSubscriber, ...answer });
  }
  const way = `${event_id} is on its way to ${resent.webhook_endpoint_ids.join(', ')}.`;
  return recordResult(resent, resentColumns, { notes: [way, ...sendersNotes(context)] });
}

function noSubscriberText(event_id: string): string {
  return `${event_id} was not sent: no webhook endpoint that is enabled asks for its type.`;
}

/** The hint if no endpoint is subscribed to an event. */
const noSubscriber = {
  code: 'no_webhook_endpoint',
  hint: '--endpoint sends it to one that does not ask for its type.',
  next: [{ ...invocation('webhooks list'), when: 'see who asks for what' }],
};

/** Sends one request; each request of a bulk has its own idempotency key. */
async function sendAgain(
  context: Context,
  event_id: string,
  endpoint: Endpoint,
  part?: string,
): Promise<Resent> {
  const client = await context.client();
  const body = endpoint === undefined ? {} : { webhook_endpoint_id: endpoint };
  const idempotencyKey = context.idempotencyKey(part);
  try {
    return (await client.events.resend({ params: { event_id }, body, idempotencyKey })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found' && !event_id.startsWith('evt_'))
      throw noEvent(event_id, error);
    const isOff = error instanceof ApiError && error.code === 'webhook_endpoint_disabled';
    throw isOff && endpoint !== undefined ? disabled(endpoint, error.message, error) : error;
  }
}

/** Explains that an ID of another record does not identify an event. */
function noEvent(word: string, cause: ApiError): Failure {
  return new Failure(
    5,
    'record_not_found',
    `There is no event "${word}": the id of an event begins with evt_.`,
    {
      next: [{ ...invocation('events list', [], { delivery: word }), when: 'those of a delivery' }],
      cause,
    },
  );
}

/** Exit 6: the given endpoint is disabled. */
function disabled(endpoint: string, message: string, cause?: ApiError): Failure {
  const command = invocation('webhooks update', [endpoint], { enable: true });
  return new Failure(6, 'webhook_endpoint_disabled', message, {
    hint: phrase`Enable it first: \`${command}\`.`,
    next: [{ ...command, when: 'Enable it first' }],
    cause,
  });
}

/** Prints all requests that would be sent as one result. */
async function dryRunOfAll(context: Context, ids: readonly string[], endpoint: Endpoint): Promise<DryRun> {
  const dry: DryRun[] = [];
  for (const event_id of ids) {
    await sendAgain(context, event_id, endpoint, event_id).catch((error: unknown) => {
      if (!(error instanceof DryRun)) throw error;
      dry.push(error);
    });
  }
  return allOf(dry);
}

/** An event that was not resent, and why. */
interface Refused {
  event_id: string;
  exit: ExitCode;
  code: string;
  message: Text;
}

/** The progress of a bulk resend. */
interface Tally {
  count: number;
  went: number;
  refused: Refused[];
  /** The error that ended the bulk, and its event. */
  stopped: { error: unknown; event_id: string } | null;
}

/**
 * Resends many events in sequence, oldest first. A refused event does not stop the others: exit 10 if some were
 * refused; if all were refused for the same reason, the exit code of that reason. An error that would affect every
 * event ends the bulk.
 */
async function resendAll(
  context: Context,
  given: readonly string[],
  endpoint: Endpoint,
): Promise<ListResult> {
  const ids = await oldestFirst(context, given);
  if (context.globals.dryRun && ids.length > 0) throw await dryRunOfAll(context, ids, endpoint);
  if (endpoint !== undefined && ids.length > 0) await checkEndpoint(context, endpoint);
  const tally: Tally = { count: ids.length, went: 0, refused: [], stopped: null };
  return listResult({
    data: resentOf(context, ids, endpoint, tally),
    columns: resentColumns,
    empty: ids.length === 0 ? 'No event IDs given: nothing was resent.' : 'Nothing was resent.',
    notes: () => notesOf(context, tally),
    exit: () => {
      const failure = failureOf(tally);
      if (failure !== null) throw failure;
      return 0;
    },
  });
}

/** With JSON the error is the only output on stderr. */
function notesOf(context: Context, tally: Tally): Text[] {
  const isAlone = context.output.json && failureOf(tally) !== null;
  return isAlone || tally.went === 0 ? [] : [wentText(tally), ...sendersNotes(context)];
}

/** Checks the endpoint once, instead of failing for each event if it is missing or disabled. */
async function checkEndpoint(context: Context, endpoint: string): Promise<void> {
  const client = await context.client();
  const { data } = await client.webhooks.get({ params: { webhook_endpoint_id: endpoint } });
  const { status, disabled_reason } = data;
  if (status === 'disabled')
    throw disabled(endpoint, `The webhook endpoint ${endpoint} is disabled: ${disabled_reason}.`);
}

async function* resentOf(
  context: Context,
  ids: readonly string[],
  endpoint: Endpoint,
  tally: Tally,
): AsyncGenerator<Resent> {
  for (const event_id of ids) {
    try {
      const resent = await sendAgain(context, event_id, endpoint, event_id);
      if (resent.webhook_endpoint_ids.length > 0) {
        tally.went += 1;
        context.setInterruptionText(`${wentText(tally)} The last of them is ${event_id}.`);
        yield resent;
      } else
        tally.refused.push({
          event_id,
          exit: 9,
          code: noSubscriber.code,
          message: noSubscriberText(event_id),
        });
    } catch (error) {
      const refused = refusedAs(error, event_id);
      if (refused === null) {
        tally.stopped = { error, event_id };
        return;
      }
      tally.refused.push(refused);
    }
  }
}

/** The refusal of this event alone; null if the error would affect every event. */
function refusedAs(error: unknown, event_id: string): Refused | null {
  const { exit, code, message } = reportOf(error);
  if (exit !== 2 && exit !== 5 && exit !== 6) return null;
  return { event_id, exit, code, message };
}

function wentText({ went, count }: Tally): string {
  return `${went} of ${count} ${count === 1 ? 'event' : 'events'} ${went === 1 ? 'is' : 'are'} on the way again.`;
}

function failureOf({ stopped, ...tally }: Tally): unknown {
  const { refused, went, count } = tally;
  if (stopped !== null) {
    if (went === 0 && refused.length === 0) return stopped.error;
    const hint = `It stopped at ${stopped.event_id}: that one and what is newer are left.`;
    return partlyDone(stopped.error, wentText({ ...tally, stopped }), { hint });
  }
  const [first] = refused;
  if (first === undefined) return null;
  const isSame = refused.every(({ code }) => code === first.code);
  const exit = went === 0 && refused.every((each) => each.exit === first.exit) ? first.exit : 10;
  const few = `${refused.length} of ${count} ${count === 1 ? 'event was' : 'events were'} not sent again.`;
  return new Failure(exit, isSame ? first.code : 'some_not_resent', few, {
    ...(isSame && first.code === noSubscriber.code
      ? { hint: noSubscriber.hint, next: noSubscriber.next }
      : {}),
    faults: refused.map(({ event_id, message }) => ({
      path: event_id,
      message: plainText(message),
      flag: null,
    })),
  });
}

/**
 * Sorts event IDs, oldest first, the order in which an endpoint should receive them. An ID contains its millisecond;
 * events of one delivery in the same millisecond are fetched and sorted by sequence. Malformed IDs come first, as they
 * are refused.
 */
async function oldestFirst(context: Pick<Context, 'client'>, ids: readonly string[]): Promise<string[]> {
  const groups = Map.groupBy(ids, momentOf);
  const sorted: string[] = [];
  for (const moment of [...groups.keys()].sort()) {
    const group = groups.get(moment) ?? [];
    sorted.push(...(moment === '' || group.length === 1 ? group : await bySequence(context, group)));
  }
  return sorted;
}

/** The time part of an ID, which sorts as text (a ULID: https://github.com/ulid/spec). */
function momentOf(id: string): string {
  return /^evt_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id)?.[1] ?? '';
}

/** Sorts numbered events by sequence; all others keep their position. */
async function bySequence(context: Pick<Context, 'client'>, ids: readonly string[]): Promise<string[]> {
  const sequences = new Map<string, number>();
  for (const id of ids) {
    const sequence = (await eventOf(context, id))?.sequence ?? null;
    if (sequence !== null) sequences.set(id, sequence);
  }
  const numbered = [...sequences].sort(([, left], [, right]) => left - right).map(([id]) => id);
  return ids.map((id) => (sequences.has(id) ? (numbered.shift() ?? id) : id));
}

/** Null if the event does not exist: resending it will be refused. */
async function eventOf(context: Pick<Context, 'client'>, event_id: string): Promise<Event | null> {
  const client = await context.client();
  return (await unlessMissing(client.events.get({ params: { event_id } })))?.data ?? null;
}
