import type { Client } from '../../client/client.ts';
import type { Courier } from '../../contract/providers.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { didYouMean, invocation } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';

/** All couriers that can be connected, with their state. */
export async function allCouriers(client: Client): Promise<Courier[]> {
  return (await client.couriers.list()).data.data;
}

/** A courier by its name. Throws `courier_unknown`. */
export async function findCourier(client: Client, name: string): Promise<Courier> {
  const all = await allCouriers(client);
  const found = all.find((courier) => courier.name === name);
  if (found !== undefined) return found;
  throw new Failure(5, 'courier_unknown', `There is no courier ${name} to connect.`, {
    choices: all.map((courier) => courier.name),
    next: [{ ...invocation('couriers list'), when: 'List the couriers' }],
  });
}

const stateTexts: Readonly<Record<Courier['state'], string>> = {
  not_connected: 'not connected',
  enabled: 'connected',
  disabled: 'disabled',
};

/** Warns that a courier was only tried on a copy of its service. */
export const untestedText = 'not yet run against the live service';

/** The capabilities of a courier, in a word or two each. */
const abilities: readonly [text: string, has: (capabilities: Capabilities) => boolean][] = [
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

/** Columns of couriers. */
export const courierColumns: readonly Column<Courier>[] = [
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
  ...capabilityColumns(),
  { field: 'last_push_at', header: 'Last report', kind: 'time', unlessEmpty: true },
  { field: 'calls_paused_until', header: 'Not called until', kind: 'time', unlessEmpty: true },
  { field: 'title', header: 'Title', kind: 'text', wide: true },
  { field: 'checked_at', header: 'Checked', kind: 'time', wide: true },
  { field: 'connected_at', header: 'Connected', kind: 'time', wide: true },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true },
];

function capabilityColumns(): Column<Courier>[] {
  return [
    {
      field: 'can',
      header: 'Can',
      kind: 'text',
      prose: true,
      only: 'people',
      spare: 2,
      value: ({ capabilities }) => canDo(capabilities).join(', '),
    },
    {
      field: 'cannot',
      header: 'Cannot',
      kind: 'text',
      prose: true,
      only: 'people',
      spare: 1,
      value: ({ capabilities }) => cannotDo(capabilities).join(', '),
    },
  ];
}

/** Fields of a connected courier, with its settings; secrets are only named. */
export const connectedColumns: readonly Column<Courier>[] = [
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

type Capabilities = Courier['capabilities'];

function canDo(capabilities: Capabilities): string[] {
  return abilities.flatMap(([text, has]) => (has(capabilities) ? [text] : []));
}

function cannotDo(capabilities: Capabilities): string[] {
  return abilities.flatMap(([text, has]) => (has(capabilities) ? [] : [text]));
}

/**
 * Refuses a provider that the account does not have, before anything is done with it. A service that lists none is
 * trusted to know it.
 */
export async function checkProvider(context: Context, name: string | undefined): Promise<void> {
  if (name === undefined || !context.has('account') || context.globals.dryRun) return;
  const client = await context.client();
  const { providers } = (await client.account.get()).data;
  if (providers.length === 0 || providers.includes(name)) return;
  const hint = didYouMean(name, providers);
  throw new UsageError(`There is no provider "${name}".`, {
    code: 'bad_value',
    param: '--provider',
    choices: providers,
    ...(hint === undefined ? {} : { hint }),
  });
}
