import { eventColumns } from '../../columns/events.ts';
import { defineCommand, positional } from '../../command.ts';
import { document, record } from '../../result.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an event with the record that it tells of, as JSON',
  positionals: { event: positional('event', { summary: 'The event' }) },
  examples: [{ command: 'waybill events get EVENT', summary: 'What was told, whole' }],
  effect: 'read',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.events.get({ params: { event_id: positionals.event } });
    const { output, asked } = context;
    // Whole, unless it is to be a line among others.
    const isLine = output.format === 'csv' || output.format === 'id' || asked.output === 'tsv';
    return isLine ? record(data, eventColumns) : document(data);
  },
});
