import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, record } from '../../kit/result/result.ts';
import { defineCommand, positional, word } from '../../session/command.ts';

interface Default {
  default_scenario: string | null;
}

const fields: Column<Default>[] = [
  {
    field: 'default_scenario',
    header: 'Default scenario',
    kind: 'id',
    value: ({ default_scenario }) => default_scenario ?? 'none',
  },
];

export const scenario = defineCommand({
  name: 'scenario',
  summary: 'Show or set the default scenario',
  description: 'Applies to every record that names no scenario; none restores happy_path.',
  positionals: {
    set: word({ choices: ['set'], summary: 'Set the scenario (default: show it)', optional: true }),
    name: positional('scenario', {
      summary: 'One of `waybill sandbox scenarios`, or none',
      optional: (given) => !given.has('set'),
    }),
  },
  examples: [
    { command: 'waybill sandbox scenario set no_driver', summary: 'Simulate that no driver is found' },
    { command: 'waybill sandbox scenario set none', summary: 'Restore happy_path' },
    { command: 'waybill sandbox scenario', summary: 'Show the default scenario' },
  ],
  effect: 'write',
  async run(context, { positionals: { set, name } }) {
    if (set === undefined) {
      const { data } = await (await context.client({ reads: true })).sandbox.settings();
      const next = invocation('sandbox scenario', ['set', 'NAME']);
      return record(data, fields, { notes: [phrase`Set it: ${next}`] });
    }
    const client = await context.client();
    const body = name === undefined || name === 'none' ? {} : { default_scenario: name };
    const { data } = await client.sandbox.updateSettings({ body });
    return record(data, fields, { notes: [endingFor(data)] });
  },
});

function endingFor({ default_scenario }: Default): string {
  return default_scenario === null
    ? 'Records without a scenario use happy_path.'
    : `New records without a scenario use ${default_scenario}; existing records do not change.`;
}
