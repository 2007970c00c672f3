import { document, record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { eventColumns } from './event-columns.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an event as JSON',
  positionals: { event: positional('event', { summary: 'Event ID' }) },
  examples: [{ command: 'waybill events get EVENT', summary: 'Show the full event' }],
  effect: 'read',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.events.get({ params: { event_id: positionals.event } });
    const { output, globals } = context;
    // The whole event, except in formats with one line for each record.
    const isLine = output.format === 'csv' || output.format === 'id' || globals.output === 'tsv';
    return isLine ? record(data, eventColumns) : document(data);
  },
});
