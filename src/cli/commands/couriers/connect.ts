import type { Courier } from '../../../contract/couriers.ts';
import { text } from '../../kit/args/flags.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { connectedColumns, untestedText } from './courier-columns.ts';
import { findCourier } from './find-courier.ts';
import { askSettings, settingsFrom } from './settings-input.ts';

export const connect = defineCommand({
  name: 'connect',
  aliases: ['add'],
  summary: 'Connect a courier with settings of your own, or change its settings',
  description: [
    'Asks for each setting, secrets with a hidden prompt; scripts give them as a JSON object with --settings-from, never',
    'in arguments. The settings are checked at the courier before they are stored, and secrets are stored encrypted. A',
    'test key takes test settings only, a live key live ones. Settings of a connected courier that are left out stay.',
  ].join('\n'),
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  flags: {
    settingsFrom: text({
      summary: 'JSON object of the settings by name, from a file; - for stdin',
      placeholder: 'FILE',
    }),
  },
  examples: [
    { command: 'waybill couriers connect uber-direct', summary: 'Enter the settings step by step' },
    {
      command: 'waybill couriers connect doordash-drive --settings-from settings.json',
      summary: 'In a script: read them from a file',
    },
  ],
  effect: 'write',
  async run(context, { flags: { settingsFrom: file }, positionals: { courier: name } }) {
    const given = file === undefined ? null : await settingsFrom(context, file);
    const client = await context.client();
    const settings = given ?? (await askSettings(context, await findCourier(client, name)));
    const { data } = await client.couriers.connect({ params: { name }, body: { settings } });
    return record(data, connectedColumns, { notes: [...liveNotes(data), ...pushNotes(context, data)] });
  },
});

/** Warns where real parcels go to a courier that was only tried on a copy of its service. */
function liveNotes({ title, test_mode, untested_live }: Courier): Text[] {
  if (test_mode || !untested_live) return [];
  const steps = invocation('help', ['connecting-couriers']);
  return [phrase`${title} was ${untestedText}. The steps of a first live delivery: ${steps}`];
}

/** Says what to enter at the courier, so that it reports by itself. */
function pushNotes({ settings }: Context, { title, push_url, push_setup, name }: Courier): Text[] {
  if (push_url === null) return [];
  const check = invocation('couriers check', [name]);
  const isLocal = /^https?:\/\/(127\.|localhost|\[::1\])/.test(push_url);
  if (isLocal && settings.target.kind === 'embedded') {
    const serve = invocation('serve', [], { 'public-url': 'URL' });
    return [
      phrase`${title} cannot reach this machine, so waybill asks it for reports. To receive them, run \`${serve}\`.`,
    ];
  }
  return [
    `Let ${title} report to ${push_url}`,
    push_setup,
    phrase`See whether a report has arrived: ${check}`,
  ];
}
