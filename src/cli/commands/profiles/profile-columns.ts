import { shownKey } from '../../kit/output/redaction.ts';
import type { Column } from '../../kit/result/result.ts';
import type { Profile } from '../../settings/profiles.ts';

/** A profile as shown: its key shortened, and without the secret that signs forwarded events. */
export interface ShownProfile extends Omit<Profile, 'listening_secret'> {
  name: string;
  current: boolean;
}

export function shownProfile(name: string, profile: Profile, current: string): ShownProfile {
  const { api_key, listening_secret: _, ...rest } = profile;
  const key = api_key === undefined ? {} : { api_key: shownKey(api_key) };
  return { name, current: name === current, ...rest, ...key };
}

function keyText({ api_key, api_key_file, api_key_in, api_key_shown }: ShownProfile): string {
  if (api_key_in === undefined) return api_key ?? api_key_file ?? 'none';
  return `${api_key_shown ?? ''} (${api_key_in})`.trimStart();
}

export const profileColumns: Column<ShownProfile>[] = [
  { field: 'name', header: 'Profile', kind: 'id', value: ({ name }) => name },
  { field: 'current', header: 'In use', kind: 'text', value: ({ current }) => (current ? 'yes' : '') },
  { field: 'base_url', header: 'Service', kind: 'text', value: ({ base_url }) => base_url ?? 'embedded' },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode ?? 'not known yet' },
  {
    field: 'api_key',
    header: 'Key',
    kind: 'text',
    value: keyText,
  },
  { field: 'output', header: 'Format', kind: 'text', wide: true, value: ({ output }) => output },
];
