/** The columns of couriers: in the list with what each can do, and of a connected one with its settings. */
import type { Courier } from '../../../contract/providers.ts';
import type { Column } from '../../kit/result/result.ts';

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
export const untestedText = 'not yet run against the live service';

/** The capabilities of a courier, in a word or two each. */
const abilities: readonly [text: string, has: (capabilities: Courier['capabilities']) => boolean][] = [
  ['schedule', ({ scheduled }) => scheduled],
  ['signature', ({ signature }) => signature],
  ['photo', ({ photo }) => photo],
  ['PIN', ({ pin }) => pin],
  ['tip', ({ tip }) => tip],
  ['edit', ({ edits }) => edits],
  ['return', ({ returns }) => returns],
  // `refused` is until the courier refuses one, which is not at the pickup.
  ['cancel after pickup', ({ cancel_until }) => cancel_until === 'refused'],
  ['vehicle choice', ({ vehicles }) => vehicles.length > 0],
  ['location', ({ location }) => location],
  ['push', ({ reports }) => reports === 'push'],
];
