import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Courier } from '../../../contract/providers.ts';
import { integerFlag, switchFlag, textFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Prompts } from '../../kit/host/host.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { type Column, listResult, recordResult } from '../../kit/result/result.ts';
import { jsonFault } from '../../kit/system/files.ts';
import {
  allCouriers,
  connectedColumns,
  courierColumns,
  findCourier,
  untestedText,
} from '../../nouns/courier.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';

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
    const data = await allCouriers(await context.client());
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
  async run(context, { positionals: { courier: name } }) {
    const client = await context.client();
    const { data } = await client.couriers.enable({
      params: { name },
      idempotencyKey: context.idempotencyKey(),
    });
    return recordResult(data, connectedColumns);
  },
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
  async run(context, { positionals: { courier: name } }) {
    const client = await context.client();
    const { data } = await client.couriers.disable({
      params: { name },
      idempotencyKey: context.idempotencyKey(),
    });
    return recordResult(data, connectedColumns);
  },
});

interface Removed {
  name: string;
  deleted: boolean;
}

const removedColumns: readonly Column<Removed>[] = [
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
    const given = file === undefined ? null : await settingsFrom(context, file);
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
    const check = (text: string) => (isRequired && text.trim() === '' ? 'Required.' : null);
    return (await prompts.text(question, { initial: value ?? undefined, check })).trim();
  }
  for (;;) {
    const answer = (await prompts.secret(question)).trim();
    if (answer !== '' || !isRequired) return answer;
  }
}

/** The outcome of a check. */
interface CourierCheck {
  name: string;
  title: string;
  works: boolean;
  /** Null if it works. */
  problem: string | null;
  checked_at: string | null;
  /** When the courier last reported by itself; null if never. */
  last_push_at: string | null;
  /** Until when the courier is not called, as it has failed repeatedly; null if it is called. */
  calls_paused_until: string | null;
}

const checkColumns: readonly Column<CourierCheck>[] = [
  { field: 'name', header: 'Courier', kind: 'id' },
  { field: 'works', header: 'Works', kind: 'text', value: ({ works }) => (works ? 'yes' : 'no') },
  { field: 'problem', header: 'Problem', kind: 'text', unlessEmpty: true },
  { field: 'calls_paused_until', header: 'Not called until', kind: 'time', unlessEmpty: true },
  { field: 'last_push_at', header: 'Last report', kind: 'time' },
  { field: 'checked_at', header: 'Last worked', kind: 'time' },
  { field: 'title', header: 'Title', kind: 'text', wide: true },
];

export const check = defineCommand({
  name: 'check',
  summary: 'Check that connected couriers accept their settings, and whether they report',
  description: [
    'Calls the courier without changing anything there. The last report is the last request with a valid signature that',
    'the courier sent by itself; without one, waybill asks the courier for the status of each delivery.',
    '',
    'With the address of a server it tests whether the server follows the courier protocol (`waybill help',
    'courier-protocol`): it books, simulates and cancels deliveries there, so give it an API key for tests. The exit',
    'code is 9 if a case failed.',
  ].join('\n'),
  positionals: {
    courier: positional('courier', {
      summary: 'Name of a courier, or address of a server; all connected ones without it',
      optional: true,
    }),
  },
  flags: {
    settingsFrom: textFlag({
      summary: 'For a server: JSON object with api_key and webhook_secret, from a file; - for stdin',
      placeholder: 'FILE',
    }),
    callbackUrl: textFlag({
      summary: 'For a server elsewhere: address at which it reaches this machine',
      placeholder: 'URL',
    }),
    callbackPort: integerFlag({
      summary: 'For a server: port that receives its events; default: a free one',
      placeholder: 'PORT',
      maximum: 65_535,
    }),
  },
  examples: [
    { command: 'waybill couriers check', summary: 'Check every connected courier' },
    { command: 'waybill couriers check uber-direct', summary: 'Check one' },
    {
      command: 'waybill couriers check http://127.0.0.1:4020 --settings-from settings.json',
      summary: 'Test the server of a courier',
    },
  ],
  effect: 'write',
  calls: ['couriers.list', 'couriers.check'],
  answers: ({ each, object, orNull }) => [
    each(
      object({
        name: 'string',
        title: 'string',
        works: 'boolean',
        problem: orNull('string'),
        checked_at: orNull('time'),
        last_push_at: orNull('time'),
        calls_paused_until: orNull('time'),
      }),
    ),
    each(
      object({
        case: 'string',
        status: '"passed" | "failed" | "skipped"',
        demand: 'string',
        found: 'string',
      }),
      'with the address of a server',
    ),
  ],
  exits: { 9: 'the server fails a case', 10: 'some couriers do not accept their settings' },
  related: ['couriers connect', 'openapi', 'doctor'],
  async run(context, { flags, positionals: { courier: name } }) {
    if (name !== undefined && /^https?:\/\//.test(name)) {
      if (context.globals.dryRun) {
        throw new UsageError(
          '--dry-run does not apply to the address of a server: the check sends requests to it.',
        );
      }
      const { callbackUrl, callbackPort } = flags;
      const secrets = await serverSecrets(context, flags.settingsFrom);
      const { checkServer } = await import('./conformance/check-server.ts');
      return checkServer(context, { url: name, ...secrets, callbackUrl, callbackPort });
    }
    const client = await context.client();
    if (name !== undefined) {
      const { data } = await client.couriers.check({
        params: { name },
        idempotencyKey: context.idempotencyKey(),
      });
      return listResult({
        data: [workingCheck(data)],
        columns: checkColumns,
        notes: reportNotes([workingCheck(data)]),
      });
    }
    const connected = (await allCouriers(client)).filter(({ state }) => state !== 'not_connected');
    const data: CourierCheck[] = [];
    for (const courier of connected) data.push(await checkEach(client, courier));
    await addPauses(client, data);
    return listResult({
      data,
      columns: checkColumns,
      empty: phrase`No couriers are connected. Connect one: ${invocation('couriers connect')}`,
      notes: reportNotes(data),
      exit: data.every(({ works }) => works) ? 0 : 10,
    });
  },
});

async function checkEach(client: Client, courier: Courier): Promise<CourierCheck> {
  const { name, title, checked_at, last_push_at, calls_paused_until } = courier;
  try {
    return workingCheck((await client.couriers.check({ params: { name } })).data);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      name,
      title,
      works: false,
      problem: error.message,
      checked_at,
      last_push_at,
      calls_paused_until,
    };
  }
}

/**
 * Reads the couriers again: the failed check may have been the one after which the service stops calling the courier.
 */
async function addPauses(client: Client, checks: CourierCheck[]): Promise<void> {
  const failed = checks.filter(({ works }) => !works);
  if (failed.length === 0) return;
  const now = await allCouriers(client);
  for (const check of failed) {
    const courier = now.find(({ name }) => name === check.name);
    check.calls_paused_until = courier?.calls_paused_until ?? null;
  }
}

function workingCheck({ name, title, checked_at, last_push_at, calls_paused_until }: Courier): CourierCheck {
  return { name, title, works: true, problem: null, checked_at, last_push_at, calls_paused_until };
}

function reportNotes(checks: readonly CourierCheck[]): string[] {
  const silent = checks.filter(({ last_push_at }) => last_push_at === null).map(({ title }) => title);
  if (silent.length === 0) return [];
  return [`No report of ${silent.join(' and ')} has arrived yet: waybill asks for the status instead.`];
}

/** The API key of a server under test, and the secret of its events. Throws UsageError. */
async function serverSecrets(context: Context, file: string | undefined) {
  if (file !== undefined) {
    const { api_key = '', webhook_secret = '' } = await settingsFrom(context, file);
    return { api_key, webhook_secret };
  }
  if (!context.interactive) {
    throw new UsageError('Cannot prompt for the API key of the courier.', {
      code: 'missing_input',
      missing: ['--settings-from'],
      hint: 'Give a JSON object with api_key and webhook_secret with --settings-from FILE, or - for stdin.',
    });
  }
  const prompts = await context.prompts();
  const api_key = await prompts.secret('API key for tests');
  const webhook_secret = await prompts.secret('Secret of the events (optional)');
  return { api_key: api_key.trim(), webhook_secret: webhook_secret.trim() };
}

/** Reads settings from a file, or from stdin for `-`: a JSON object of texts. Throws UsageError. */
async function settingsFrom(context: Context, file: string): Promise<Record<string, string>> {
  const text = await context.readFile(file);
  const param = '--settings-from';
  const settings = parsed(text, param);
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

function parsed(text: string, param: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${param} is not valid JSON: ${jsonFault(text, { isSecret: true })}.`, {
      param,
      hint: 'Give a JSON object, such as {"client_id": "..."}.',
    });
  }
}
