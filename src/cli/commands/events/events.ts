/** The commands that list, show and stream events. */
import type { FollowOptions } from '../../../client/event-stream.ts';
import { integerFlag, textFlag } from '../../kit/args/flags.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { documentResult, recordResult, type StreamLine, streamFormats } from '../../kit/result/result.ts';
import { findGivenBatch } from '../../nouns/batch.ts';
import {
  eventCells,
  eventColumns,
  eventShape,
  eventText,
  hintShape,
  openEventStream,
  typesFlag,
  warnOfStillClock,
} from '../../nouns/event.ts';
import { findDeliveryId } from '../../nouns/find-delivery.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { shownZone } from '../../session/list-view.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { readPastInstant } from '../../session/service-times.ts';
import { momentFlag } from '../../session/time-arguments.ts';

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
  calls: ['events.list', 'deliveries.list', 'deliveries.listDetailed', 'batches.get'],
  answers: (of) => [of.each(eventShape(of))],
  errors: ['record_not_found'],
  related: ['events get', 'events tail', 'events resend'],
  async run(context, { flags }) {
    const { fields } = context.output;
    if (fields !== null) (await import('../../help/command-facts.ts')).checkLineFields(list, fields, 'array');
    const client = await context.client();
    const type = flags.type.length === 0 ? undefined : flags.type.join(',');
    const delivery = flags.delivery && (await findDeliveryId(context, flags.delivery));
    const since = flags.since && (await readPastInstant(context, flags.since));
    const batch = flags.batch && (await findGivenBatch(context, flags.batch)).batch_id;
    const listed = await listing(context, {
      list: client.events.list,
      query: { type, delivery_id: delivery, batch_id: batch, since },
      paging: flags,
      columns: eventColumns,
      zone: await shownZone(context),
      command: invocation('events list'),
      filters: { type, delivery, batch, since },
      empty: 'No events found.',
      start: phrase`No events yet. A delivery causes the first: ${invocation('ship')}`,
    });
    // The records of events differ: the first page may have none with a field that later ones have.
    return { ...listed, areFieldsKnown: true };
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
  async run(context, { positionals: { event: event_id } }) {
    const client = await context.client();
    const { data } = await client.events.get({ params: { event_id } });
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
    if (fields !== null) (await import('../../help/command-facts.ts')).checkLineFields(tail, fields);
    const delivery_id = delivery && (await findDeliveryId(context, delivery));
    const query = {
      types: type.length === 0 ? undefined : type,
      delivery_id,
      batch_id: batch && (await findGivenBatch(context, batch)).batch_id,
      since: since && (await readPastInstant(context, since)),
    };
    return { kind: 'stream', lines: eventLines(context, query, limit), areFieldsKnown: true };
  },
});

type TailQuery = Pick<FollowOptions, 'types' | 'delivery_id' | 'batch_id' | 'since'>;

/** Streams events until the process is interrupted or the limit is reached. */
async function* eventLines(
  context: Context,
  query: TailQuery,
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
