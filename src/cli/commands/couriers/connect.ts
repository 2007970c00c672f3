/** `couriers connect`: asks for the settings of a courier or reads them from a file, and says what to do next. */
import { isThisMachine } from '../../../client/addresses.ts';
import type { Client } from '../../../client/client.ts';
import type { Courier } from '../../../contract/providers.ts';
import { textFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import type { Prompts } from '../../kit/host/host.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { recordResult } from '../../kit/result/result.ts';
import { jsonFault } from '../../kit/system/json-fault.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { connectedColumns, untestedText } from './courier-columns.ts';

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
    settingsFrom: textFlag({
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
  calls: ['couriers.list', 'couriers.connect'],
  answers: ({ one }) => [one('couriers.connect')],
  related: ['couriers list', 'couriers check', 'secrets status'],
  async run(context, { flags: { settingsFrom: file }, positionals: { courier: name } }) {
    const given = file === undefined ? null : await readSettings(context, file);
    const client = await context.client();
    const settings = given ?? (await askSettings(context, await findCourier(client, name)));
    const { data } = await client.couriers.connect({ params: { name }, body: { settings } });
    return recordResult(data, connectedColumns, { notes: [...liveNotes(data), ...pushNotes(context, data)] });
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
  const host = URL.parse(push_url)?.hostname;
  if (host !== undefined && isThisMachine(host) && settings.target.kind === 'embedded') {
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

/** A courier by its name. Throws `courier_unknown`. */
async function findCourier(client: Client, name: string): Promise<Courier> {
  const { data: all } = (await client.couriers.list()).data;
  const found = all.find((courier) => courier.name === name);
  if (found !== undefined) return found;
  throw new Failure(5, 'courier_unknown', `There is no courier ${name} to connect.`, {
    choices: all.map((courier) => courier.name),
    next: [{ ...invocation('couriers list'), when: 'List the couriers' }],
  });
}

/**
 * Asks for each setting of a courier; an empty answer keeps the value there is. Throws UsageError without a terminal.
 */
async function askSettings(context: Context, courier: Courier): Promise<Record<string, string>> {
  if (!context.interactive) {
    const names = courier.settings.map(({ name, is_optional }) =>
      is_optional ? `${name} (optional)` : name,
    );
    throw new UsageError('Missing: --settings-from.', {
      code: 'missing_input',
      missing: ['--settings-from'],
      hint: `Give a JSON object with ${names.join(', ')} with --settings-from FILE, or - for stdin.`,
    });
  }
  const prompts = await context.prompts();
  const values: Record<string, string> = {};
  for (const setting of courier.settings) {
    context.note(setting.help);
    const value = await askSetting(prompts, setting);
    if (value !== '') values[setting.name] = value;
  }
  return values;
}

type Setting = Courier['settings'][number];

async function askSetting(prompts: Prompts, setting: Setting): Promise<string> {
  const { label, is_secret, is_optional, is_set, choices, value } = setting;
  const note = is_set ? 'Enter keeps it' : 'optional';
  const question = is_set || is_optional ? `${label} (${note})` : label;
  if (choices.length > 0) {
    const none = is_optional ? [{ name: 'not set', value: '' }] : [];
    const all = [...none, ...choices.map((choice) => ({ name: choice, value: choice }))];
    return prompts.select(label, all, { initial: value ?? undefined });
  }
  const isRequired = !is_optional && !is_set;
  if (!is_secret) {
    const checkAnswer = (answer: string) => (isRequired && answer.trim() === '' ? 'Required.' : null);
    return (await prompts.text(question, { initial: value ?? undefined, check: checkAnswer })).trim();
  }
  let answer = '';
  do answer = (await prompts.secret(question)).trim();
  while (answer === '' && isRequired);
  return answer;
}

/** Reads settings from a file, or from stdin for `-`: a JSON object of texts. Throws UsageError. */
async function readSettings(context: Context, file: string): Promise<Record<string, string>> {
  const param = '--settings-from';
  const settings = parseSettings(await context.readFile(file), param);
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw new UsageError('--settings-from must hold a JSON object, such as {"client_id": "..."}.', { param });
  }
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings)) {
    // The message does not repeat the value, which may be a secret.
    if (typeof value !== 'string') throw new UsageError(`The setting ${name} must be a text.`, { param });
    values[name] = value;
  }
  return values;
}

function parseSettings(json: string, param: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError(`${param} is not valid JSON: ${jsonFault(json, { isSecret: true })}.`, {
      param,
      hint: 'Give a JSON object, such as {"client_id": "..."}.',
    });
  }
}
