import { parseBaseUrl } from '../../client/addresses.ts';
import { ApiError } from '../../client/errors.ts';
import { flag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { shownKey } from '../kit/output/redaction.ts';
import { invocation } from '../kit/result/invocation.ts';
import { phrase, type Text } from '../kit/result/message.ts';
import { record } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { withKey } from '../settings/key-storage.ts';
import { profilesFile } from '../settings/paths.ts';
import {
  changeProfiles,
  checkName,
  checkWritable,
  type Profile,
  type Profiles,
  readProfiles,
} from '../settings/profiles.ts';
import { checkedKey, readKeyFile, targetOf } from '../settings/settings.ts';
import { accountFields, type Identity } from './login/identity-columns.ts';

export const login = defineCommand({
  name: 'login',
  aliases: ['signin'],
  summary: 'Verify an API key and store it in a profile',
  description: [
    'Prompts for the key (hidden), or reads it from stdin with --with-token or from a file with --api-key-file; never',
    "from an argument. The service reports the key's mode and permission. The key is stored in the system keychain.",
    'If the keychain does not respond within 3 s, or with --insecure-storage, it is stored in the settings file,',
    'which only you can read. The profile becomes the current one.',
  ].join('\n'),
  flags: {
    withToken: flag({ summary: 'Read the key from stdin' }),
    insecureStorage: flag({ summary: 'Store the key in the settings file instead of the keychain' }),
  },
  examples: [
    { command: 'waybill login --base-url https://deliveries.example', summary: 'Prompt for the key' },
    {
      command: 'waybill login --profile ci --base-url https://deliveries.example --with-token < key.txt',
      summary: 'In a script',
    },
  ],
  effect: 'none',
  async run(context, { flags: { withToken, insecureStorage } }) {
    const file = profilesFile(context.host);
    const profiles = readProfiles(file);
    const before = profiles.current;
    const [name, profile] = placeFor(context, profiles);
    const target = targetOf(profile.base_url, context.host);
    const apiKey = await keyFor(context, withToken);
    const settings = {
      file,
      name,
      nameOrigin: 'flag',
      profile: null,
      target,
      apiKey,
      keyOrigin: 'flag',
    } as const;
    const client = await context.at({ ...settings, mode: null }).client();
    const { data: account } = await client.account.get().catch((error) => {
      throw target.kind === 'embedded' ? (strangeKey(error) ?? error) : error;
    });
    const mode = account.test_mode ? 'test' : 'live';
    checkWritable(file);
    const key = { name, file, profile: { ...profile, mode }, apiKey, insecure: insecureStorage } as const;
    const { profile: stored, notes } = await withKey(key, context.host);
    changeProfiles(file, (all) => ({ current: name, profiles: { ...all.profiles, [name]: stored } }));
    const place =
      profile.base_url === undefined ? { embedded: true as const } : { base_url: profile.base_url };
    const identity: Identity = {
      profile: name,
      ...place,
      mode,
      api_key: shownKey(apiKey),
      api_key_from: stored.api_key_in ?? 'profile',
      account,
    };
    return record(identity, accountFields, {
      notes: [...notes, ...(context.output.json ? [] : defaultNote(before, name, mode))],
    });
  },
});

/** Commands without --profile act in another profile from now on. */
function defaultNote(before: string, name: string, mode: 'test' | 'live'): Text[] {
  if (before === name) return [];
  const back = invocation('profiles use', [before]);
  return [phrase`${name} (${mode} mode) is now the default profile. To switch back: ${back}`];
}

/** The embedded service knows no key of another: to have left out the address is the likely reason. */
function strangeKey(error: unknown): Failure | null {
  if (!(error instanceof ApiError && error.status === 401)) return null;
  return new Failure(4, 'unauthorized', 'The embedded service does not know this key.', {
    hint: phrase`If the key belongs to another service, specify its URL: ${invocation('login', [], { baseUrl: 'URL' })}`,
    missing: ['--base-url'],
    cause: error,
  });
}

/** The profile that takes the key: the one named, else the one with this address, else a new one named after it. */
function placeFor({ asked }: Context, { current, profiles }: Profiles): [string, Profile] {
  const { baseUrl } = asked;
  const known = Object.entries(profiles).find(([, { base_url }]) => base_url === baseUrl)?.[0];
  const name = asked.profile ?? (baseUrl === undefined ? current : (known ?? parseBaseUrl(baseUrl).hostname));
  checkName(name);
  const stored = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (baseUrl === undefined && stored !== undefined) return [name, stored];
  if (baseUrl !== undefined) return [name, baseUrl === stored?.base_url ? stored : { base_url: baseUrl }];
  throw new UsageError(`Profile "${name}" does not exist yet. What is the URL of its service?`, {
    missing: ['--base-url'],
  });
}

async function keyFor({ asked, host, interactive, prompts }: Context, withToken: boolean): Promise<string> {
  if (withToken) return checkedKey((await host.stdin.text()).trim(), 'stdin');
  if (asked.apiKeyFile !== undefined) return readKeyFile(asked.apiKeyFile, host.folder);
  if (interactive) return checkedKey((await (await prompts()).secret('API key')).trim(), 'the answer');
  throw new UsageError('Cannot prompt for the key.', {
    code: 'missing_input',
    missing: ['--with-token'],
    hint: 'Pipe the key in with --with-token, or specify its file with --api-key-file.',
  });
}
