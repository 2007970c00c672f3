import { defineCommand, positionals } from '../command.ts';
import { helpPage } from '../help/help.ts';
import { topics } from '../help/topics.ts';
import { resolve } from '../line/resolution.ts';
import { document, words } from '../result.ts';

export const help = defineCommand({
  name: 'help',
  summary: 'Help on a command, or on exit-codes, environment, output, scenarios',
  positionals: { command: positionals('text', { summary: 'The command, or the topic', optional: true }) },
  examples: [
    { command: 'waybill help orders create', summary: 'The same as waybill orders create --help' },
    { command: 'waybill help exit-codes', summary: 'What each exit code means' },
  ],
  effect: 'none',
  async run(context, { positionals: { command } }) {
    const topic = topics.find(({ name }) => name === command[0]);
    if (topic !== undefined) return context.output.json ? document(topic.data()) : words(topic.page());
    const { path } = await resolve(command);
    return words(await helpPage(path));
  },
});
