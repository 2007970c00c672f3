/** `login`: what a key is good for, and the profile and place where it is stored. */
import { parseBaseUrl } from '../../client/addresses.ts';
import { ApiError } from '../../client/errors.ts';
import { allFeatures, type ServiceFeatures } from '../../client/service-features.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { connectionFlagNames } from '../kit/args/command-input.ts';
import { choiceFlag, switchFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { shownKey } from '../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import { recordResult } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { accountFields, type Identity, identityShape } from '../session/identity.ts';
import { storeKey } from '../settings/key-storage.ts';
import {
  changeProfiles,
  checkProfileName,
  checkWritable,
  type Profile,
  type Profiles,
  readProfiles,
} from '../settings/profiles.ts';
import { warnIfOverridden } from '../settings/setting-entries.ts';
import { checkedKey, profilesFile, readKeyFile, type Settings, serviceTarget } from '../settings/settings.ts';

export const login = defineCommand({
  name: 'login',
  aliases: ['signin'],
  summary: 'Verify an API key and store it in a profile',
  description: [
    'Prompts for the key (hidden), or reads it from stdin with --with-token or from a file with --api-key-file; never',
    "from an argument. The service reports the key's mode and permission; for one that does not, specify the mode with",
    '--mode. The key is stored in the system keychain. If that does not respond within 3 s, or with --insecure-storage,',
    'it is stored in the settings file, which only you can read. The profile becomes the current one.',
  ].join('\n'),
  flags: {
    withToken: switchFlag({ summary: 'Read the key from stdin' }),
    insecureStorage: switchFlag({ summary: 'Store the key in the settings file instead of the keychain' }),
    mode: choiceFlag({
      summary: 'Mode of the key, for a service that does not say it',
      choices: ['test', 'live'],
      placeholder: 'MODE',
    }),
  },
  examples: [
    { command: 'waybill login --base-url https://deliveries.example', summary: 'Prompt for the key' },
    {
      command: 'waybill login --profile ci --base-url https://deliveries.example --with-token < key.txt',
      summary: 'In a script',
    },
  ],
  effect: 'none',
  connectionFlags: connectionFlagNames,
  calls: ['account.get'],
  answers: (of) => [of.one(identityShape(of))],
  errors: ['settings_broken', 'settings_unusable'],
  related: ['whoami', 'logout', 'profiles create'],
  async run(context, { flags: { withToken, insecureStorage, mode: named } }) {
    const file = profilesFile(context.host);
    const profiles = readProfiles(file);
    const [name, profile] = selectProfile(context, profiles);
    const { base_url } = profile;
    const target = serviceTarget(base_url, context.host);
    const apiKey = await readKey(context, withToken);
    const { account, features, mode } = await verifyKey(context, { file, name, target, apiKey }, named);
    checkWritable(file);
    const service = features === allFeatures ? {} : { service: features };
    const { mode: _, service: __, ...rest } = profile;
    const learned = { ...rest, ...(mode === null ? {} : { mode }), ...service };
    const key = { name, file, profile: learned, apiKey, insecure: insecureStorage };
    const { profile: kept, notes } = await storeKey(key, context.host);
    const permission = account?.permission ?? 'admin';
    const stored = permission === 'admin' ? kept : { ...kept, key_permission: permission };
    changeProfiles(file, (all) => {
      const now = Object.hasOwn(all.profiles, name) ? all.profiles[name] : undefined;
      return { current: name, profiles: { ...all.profiles, [name]: withLaterSettings(stored, now) } };
    });
    warnIfOverridden(context, name, { key: 'api_key', value: shownKey(apiKey) });
    const identity: Identity = {
      profile: name,
      ...(base_url === undefined ? { embedded: true } : { base_url }),
      mode,
      api_key: shownKey(apiKey),
      api_key_from: stored.api_key_in ?? 'profile',
      account,
      ...service,
    };
    const modeNote = mode === null ? [unknownModeNote()] : [];
    const switched = context.output.json ? [] : switchedNote(profiles.current, name, mode);
    return recordResult(identity, accountFields, { notes: [...notes, ...modeNote, ...switched] });
  },
});

/** The profile with the settings and the secret that another process has changed while the key was typed and checked. */
function withLaterSettings(stored: Profile, now: Profile | undefined): Profile {
  if (now === undefined || now.base_url !== stored.base_url) return stored;
  const { output: _, preferences: __, listening_secret: ___, ...rest } = stored;
  const { output, preferences, listening_secret } = now;
  return { ...rest, ...withoutAbsent({ output, preferences, listening_secret }) };
}

/** Asks the service whose key it is, and what it can do. Throws Failure for a key or a mode that is not right. */
async function verifyKey(
  context: Context,
  place: Pick<Settings, 'file' | 'name' | 'target' | 'apiKey'>,
  named: 'test' | 'live' | undefined,
): Promise<ServiceFeatures> {
  const settings = { ...place, nameOrigin: 'flag', profile: null, keyOrigin: 'flag', mode: null } as const;
  const client = await context.at(settings).client();
  const found = await client.learn().catch((error) => {
    throw place.target.kind === 'embedded' ? (unknownKeyFailure(error) ?? error) : error;
  });
  const mode = named ?? found.mode ?? (await askMode(context));
  if (found.mode !== null && mode !== found.mode) throw modeDiffers(found.mode);
  return { ...found, mode };
}

/** Asks for the mode if the service does not report it; null if prompts are not possible. */
async function askMode({ interactive, prompts }: Context): Promise<'test' | 'live' | null> {
  if (!interactive) return null;
  const question = 'The service does not say the mode of the key. Is it for test or live mode?';
  return (await prompts()).select(question, [
    { name: 'test', value: 'test' },
    { name: 'live', value: 'live' },
  ] as const);
}

function modeDiffers(mode: 'test' | 'live'): UsageError {
  return new UsageError(`The service says that the key is for ${mode} mode.`, {
    hint: `Use --mode ${mode}, or leave it out.`,
    param: '--mode',
  });
}

function unknownModeNote(): Text {
  const test = invocation('login', [], { mode: 'test' });
  return phrase`The service does not say the mode of the key, so each write must be confirmed. To store it: ${test}, or --mode live.`;
}

/** Says that commands without --profile now use another profile. */
function switchedNote(before: string, name: string, mode: 'test' | 'live' | null): Text[] {
  if (before === name) return [];
  const back = invocation('profiles use', [before]);
  const modeText = mode === null ? 'mode not known' : `${mode} mode`;
  return [phrase`${name} (${modeText}) is now the default profile. To switch back: ${back}`];
}

/** Explains that the embedded service does not know the key: the URL was probably left out. */
function unknownKeyFailure(error: unknown): Failure | null {
  if (!(error instanceof ApiError && error.status === 401)) return null;
  return new Failure(4, 'unauthorized', 'The embedded service does not know this key.', {
    hint: phrase`If the key belongs to another service, specify its URL: ${invocation('login', [], { baseUrl: 'URL' })}`,
    missing: ['--base-url'],
    cause: error,
  });
}

/** The profile that stores the key: the given one, or the one with this URL, or a new one named after it. */
function selectProfile({ globals }: Context, { current, profiles }: Profiles): [string, Profile] {
  const { baseUrl } = globals;
  const known = Object.entries(profiles).find(([, { base_url }]) => base_url === baseUrl)?.[0];
  const name =
    globals.profile ?? (baseUrl === undefined ? current : (known ?? parseBaseUrl(baseUrl).hostname));
  checkProfileName(name);
  const stored = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (baseUrl === undefined && stored !== undefined) return [name, stored];
  if (baseUrl !== undefined) {
    if (baseUrl === stored?.base_url) return [name, stored];
    // Its settings stay, and where its key is, so that the key is removed from there.
    const { embedded: _, mode: __, service: ___, ...rest } = stored ?? {};
    return [name, { ...rest, base_url: baseUrl }];
  }
  const again = invocation('login', [], { profile: name, baseUrl: 'https://deliveries.example' });
  throw new UsageError(`Profile "${name}" does not exist yet: give the URL of its service.`, {
    missing: ['--base-url'],
    next: [{ ...again, when: 'for example' }],
  });
}

/** Reads the key from stdin, a file or a prompt. Throws UsageError if there is none. */
async function readKey(
  { globals, host, interactive, isTyped, prompts }: Context,
  withToken: boolean,
): Promise<string> {
  if (withToken && isTyped('apiKeyFile'))
    throw new UsageError('--with-token and --api-key-file cannot be used together.');
  if (withToken) return checkedKey((await host.stdin.text()).trim(), 'stdin');
  if (globals.apiKeyFile !== undefined) return readKeyFile(globals.apiKeyFile, host.folder);
  if (interactive) return checkedKey((await (await prompts()).secret('API key')).trim(), 'the answer');
  throw new UsageError('Cannot prompt for the key.', {
    code: 'missing_input',
    missing: ['--with-token'],
    hint: 'Pipe the key in with --with-token, or specify its file with --api-key-file.',
  });
}
