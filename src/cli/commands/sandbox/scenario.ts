import { defineCommand, positional, word } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { phrase } from '../../kit/output/message.ts';
import { type Column, record } from '../../result.ts';

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
  summary: 'Show the scenario of everything that names none, or set it',
  description: 'It is the default of the account; none goes back to happy_path.',
  positionals: {
    set: word({ choices: ['set'], summary: 'Sets it; without it, it is shown', optional: true }),
    name: positional('scenario', {
      summary: 'One of `waybill sandbox scenarios`, or none',
      optional: (given) => !given.has('set'),
    }),
  },
  examples: [
    { command: 'waybill sandbox scenario set no_driver', summary: 'Nobody comes, from now on' },
    { command: 'waybill sandbox scenario set none', summary: 'Back to happy_path' },
    { command: 'waybill sandbox scenario', summary: 'Which it is' },
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
    ? 'What names no scenario goes well again.'
    : `What names no scenario is ${default_scenario} from now on; what is there already stays as it is.`;
}
