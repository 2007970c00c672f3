/** The commands that list and connect couriers, turn them on and off, and remove them. */
import { isThisMachine } from '../../../client/addresses.ts';
import type { Client } from '../../../client/client.ts';
import type { Courier } from '../../../contract/providers.ts';
import { switchFlag, textFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import type { Prompts } from '../../kit/host/host.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { type Column, listResult, type Result, recordResult } from '../../kit/result/result.ts';
import { jsonFault } from '../../kit/system/json-fault.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';

const courierColumns: readonly Column<Courier>[] = [
  { field: 'name', header: 'Courier', kind: 'id' },
  { field: 'state', header: 'State', kind: 'text', value: ({ state }) => stateTexts[state] },
  {
    field: 'untested_live',
    header: 'Live service',
    kind: 'text',
    prose: true,
    only: 'people',
    value: ({ untested_live }) => (untested_live ? untestedText : ''),
  },
  {
    field: 'can',
    header: 'Can',
    kind: 'text',
    prose: true,
    only: 'people',
    spare: 2,
    value: ({ capabilities }) => abilitiesText(abilities.filter(([, has]) => has(capabilities))),
  },
  {
    field: 'cannot',
    header: 'Cannot',
    kind: 'text',
    prose: true,
    only: 'people',
    spare: 1,
    value: ({ capabilities }) => abilitiesText(abilities.filter(([, has]) => !has(capabilities))),
  },
  { field: 'last_push_at', header: 'Last report', kind: 'time', unlessEmpty: true },
  { field: 'calls_paused_until', header: 'Not called until', kind: 'time', unlessEmpty: true },
  { field: 'title', header: 'Title', kind: 'text', wide: true },
  { field: 'checked_at', header: 'Checked', kind: 'time', wide: true },
  { field: 'connected_at', header: 'Connected', kind: 'time', wide: true },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true },
];

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the couriers that can be connected: state, what each can and cannot',
  examples: [
    { command: 'waybill couriers list', summary: 'See which couriers are connected' },
    {
      command: 'waybill couriers list --jq \'.[] | select(.state == "enabled") | .name\'',
      summary: 'The names of the connected ones',
    },
  ],
  columns: courierColumns,
  effect: 'read',
  answers: ({ each }) => [each('couriers.list')],
  related: ['couriers connect', 'couriers check'],
  async run(context) {
    const client = await context.client();
    const { data } = (await client.couriers.list()).data;
    return listResult({ data, columns: courierColumns, empty: 'This service has no couriers to connect.' });
  },
});

export const enable = defineCommand({
  name: 'enable',
  summary: 'Request quotes from a disabled courier again',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [{ command: 'waybill couriers enable uber-direct', summary: 'Use it again' }],
  effect: 'write',
  answers: ({ one }) => [one('couriers.enable')],
  related: ['couriers disable', 'couriers list'],
  run: (context, { positionals: { courier } }) => switchCourier(context, courier, 'enable'),
});

export const disable = defineCommand({
  name: 'disable',
  summary: 'Request no more quotes from a courier, and keep its settings',
  description: 'Its deliveries under way continue.',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [{ command: 'waybill couriers disable uber-direct', summary: 'Take a break from it' }],
  effect: 'write',
  answers: ({ one }) => [one('couriers.disable')],
  related: ['couriers enable', 'couriers remove'],
  run: (context, { positionals: { courier } }) => switchCourier(context, courier, 'disable'),
});

/** Turns a connected courier on or off, and shows it. */
async function switchCourier(context: Context, name: string, to: 'enable' | 'disable'): Promise<Result> {
  const { couriers } = await context.client();
  const { data } = await couriers[to]({ params: { name }, idempotencyKey: context.idempotencyKey() });
  return recordResult(data, connectedColumns);
}

const removedColumns: readonly Column<{ name: string; deleted: boolean }>[] = [
  { field: 'name', header: 'Courier', kind: 'id' },
  { field: 'deleted', header: 'Deleted', kind: 'text' },
];

export const remove = defineCommand({
  name: 'remove',
  aliases: ['delete', 'rm', 'disconnect'],
  summary: 'Disconnect a courier and delete its settings',
  description: [
    'While its deliveries are under way that is refused: without the settings they are no longer followed and cannot be',
    'canceled. Disable the courier to let them finish, or remove it with --force.',
  ].join('\n'),
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  flags: {
    force: switchFlag({ summary: 'Also while its deliveries are under way' }),
  },
  examples: [
    { command: 'waybill couriers remove uber-direct --yes', summary: 'Disconnect without a prompt' },
  ],
  effect: 'write',
  confirms: () => true,
  answers: ({ one }) => [one('couriers.remove')],
  related: ['couriers disable', 'couriers list'],
  async run(context, { flags: { force }, positionals: { courier: name } }) {
    const effect = force ? ' Its deliveries under way are no longer followed and cannot be canceled.' : '';
    const question = `Disconnect ${name} and delete its settings?${effect}`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const query = force ? { force } : {};
    const { data } = await client.couriers.remove({ params: { name }, query });
    return recordResult(data, removedColumns);
  },
});

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

/** Fields of a connected courier, with its settings; secrets are only named. */
const connectedColumns: readonly Column<Courier>[] = [
  { field: 'name', header: 'Courier', kind: 'id' },
  { field: 'state', header: 'State', kind: 'text', value: ({ state }) => stateTexts[state] },
  { field: 'settings', header: 'Settings', kind: 'text', value: settingTexts },
  { field: 'push_url', header: 'Push address', kind: 'text' },
  { field: 'checked_at', header: 'Checked', kind: 'time' },
  { field: 'last_push_at', header: 'Last report', kind: 'time' },
  { field: 'test_mode', header: 'Test mode', kind: 'text' },
];

function settingTexts({ settings }: Courier): string[] {
  return settings.flatMap(({ name, is_set, is_secret, value }) =>
    is_set ? [`${name}: ${is_secret ? '(secret)' : value}`] : [],
  );
}

/** `schedule, signature` */
function abilitiesText(found: typeof abilities): string {
  return found.map(([text]) => text).join(', ');
}

const stateTexts: Readonly<Record<Courier['state'], string>> = {
  not_connected: 'not connected',
  enabled: 'connected',
  disabled: 'disabled',
};

/** Warns that a courier was only tried on a copy of its service. */
const untestedText = 'not yet run against the live service';

/** The capabilities of a courier, in a word or two each. */
const abilities: readonly [text: string, has: (capabilities: Courier['capabilities']) => boolean][] = [
  ['schedule', ({ scheduled }) => scheduled],
  ['signature', ({ signature }) => signature],
  ['photo', ({ photo }) => photo],
  ['PIN', ({ pin }) => pin],
  ['tip', ({ tip }) => tip],
  ['edit', ({ edits }) => edits],
  ['return', ({ returns }) => returns],
  ['cancel after pickup', ({ cancel_until }) => cancel_until === 'refused'],
  ['vehicle choice', ({ vehicles }) => vehicles.length > 0],
  ['location', ({ location }) => location],
  ['push', ({ reports }) => reports === 'push'],
];
