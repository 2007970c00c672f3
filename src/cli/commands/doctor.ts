import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isExcepted, proxyFor } from '../../client/addresses.ts';
import { exits } from '../errors/codes.ts';
import { type ExitCode, Failure } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { colourLevel } from '../kit/output/colour.ts';
import { inkOf } from '../kit/output/output-settings.ts';
import { redacted } from '../kit/output/safe-text.ts';
import { invocationsIn, joinedTexts, quoted } from '../kit/result/message.ts';
import { type Column, list } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { profilesFile, readProfiles, type Settings, type Target } from '../settings/settings.ts';
import { checkService } from './doctor/check-service.ts';
import { type Finding, findingText, ok, runCheck, type ShownFinding, warn } from './doctor/finding.ts';

const columns: Column<ShownFinding>[] = [
  { field: 'check', header: 'Check', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'found', header: 'Found', kind: 'text' },
  { field: 'remedy', header: 'Fix', kind: 'text' },
  { field: 'command', header: 'Command', kind: 'text' },
];

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Diagnose problems with this machine and the service',
  description: [
    'Each check is ok, warn or fail, with a suggested fix. It never changes anything, and each check takes at most 10',
    's. The exit code is 0 if no check failed, otherwise that of the first failure.',
  ].join('\n'),
  examples: [
    { command: 'waybill doctor', summary: 'Run every check' },
    { command: 'waybill doctor --json', summary: 'Print results as JSON' },
  ],
  effect: 'none',
  answers: ({ each, object, orNull }) => [
    each(
      object({
        check: 'string',
        status: 'ok | warn | fail',
        found: 'string',
        remedy: 'string',
        command: orNull('string'),
        code: orNull('string'),
        exit_code: 'integer',
      }),
    ),
  ],
  exits: {
    2: 'the settings are invalid',
    4: 'the API key is missing or invalid',
    6: "the key's mode differs from the profile's",
    7: 'the storage is damaged, or the service is unreachable',
  },
  errors: ['settings_broken', 'unreachable', 'storage_damaged'],
  related: ['whoami', 'config list', 'admin failed'],
  async run(context) {
    const findings = await examine(context);
    const shown = findings.map((finding) => shownFinding(finding, context));
    const answer = list({ data: shown, columns, draw: findingText, isDense: true });
    const failed = findings.filter(({ status }) => status === 'fail');
    const [first] = failed;
    if (first === undefined) return answer;
    const exit = exitOf(first);
    if (!context.output.json) return { ...answer, exit };
    const texts = failed.map(({ check, found }) => `${check}: ${found}`);
    const next = failed
      .flatMap(({ command }) => invocationsIn(command ?? ''))
      .map((line) => ({ ...line, when: '' }));
    const remedies = failed.map(({ remedy }) => remedy).filter((remedy) => remedy !== '');
    const hint = remedies.length === 0 ? {} : { hint: joinedTexts(remedies, '\n') };
    throw new Failure(exit, first.code ?? 'internal', texts.join('\n'), { ...hint, next, answer });
  },
});

/** Adds the context flags to a finding's commands, so that they use the same account as this run. */
function shownFinding(finding: Finding, { plainText }: Context): ShownFinding {
  const { remedy, command } = finding;
  // A service may repeat the request's secrets in its refusal.
  const text = redacted(plainText(remedy));
  return { ...finding, remedy: text, command: command === null ? null : plainText(command) };
}

function exitOf({ exit_code }: Finding): ExitCode {
  return exits.find(({ code }) => code === exit_code)?.code ?? 1;
}

/**
 * Runs all checks, from the machine outward, without changing anything. Checks that depend on a failed one are left
 * out.
 */
async function examine(context: Context): Promise<Finding[]> {
  const { host } = context;
  const settings = await runCheck('settings', context, () => checkProfile(context));
  const isReadable = settings.status !== 'fail';
  return [
    checkRuntime(host),
    settings,
    ...(isReadable ? await checkPlace(context) : []),
    await runCheck('terminal', context, () => checkTerminal(context)),
  ];
}

async function checkPlace(context: Context): Promise<Finding[]> {
  const { host } = context;
  const key = await runCheck('keychain', context, () => checkKeyPlace(context));
  return [
    ...checkModes(context),
    key,
    ...(key.status === 'fail' ? [] : await checkService(context)),
    await runCheck('proxy', context, () => checkProxy(host, context.settings.target)),
  ];
}

function checkRuntime({ runtime, platform, version }: Host): Finding {
  return ok('runtime', `Node ${runtime} on ${platform}, waybill ${version}`);
}

const colours = ['no colour', '16 colours', '256 colours', 'all colours'];

/** Checks the terminal's capabilities, as far as the environment shows them. */
function checkTerminal({ host, globals, output }: Context): Finding {
  const { stdout, environment } = host;
  if (!stdout.isTerminal) return ok('terminal', 'stdout is not a terminal');
  const level = colourLevel({ mode: globals.color, environment, isTerminal: true });
  const ink =
    inkOf(host) === 'blocks' ? 'plots in block characters' : 'plots in ASCII, as the locale asks for';
  const plots = output.accessible ? 'accessible' : ink;
  return ok('terminal', `${stdout.columns ?? '?'} columns, ${colours[level] ?? ''}, ${plots}`);
}

const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];

/** Checks whether requests use a proxy. */
function checkProxy({ environment }: Host, target: Target): Finding {
  const set = variables.filter((name) => environment[name.toLowerCase()] || environment[name]);
  if (set.length === 0) return ok('proxy', 'none');
  const url = target.kind === 'http' ? URL.parse(target.baseUrl) : null;
  const found = url === null ? null : proxyFor(url, environment);
  if (url === null || found === null || isExcepted(url, found.exceptions))
    return ok('proxy', `${set.join(', ')} set, not used for this service`);
  const proxy = URL.parse(found.proxy);
  if (proxy === null || !/^https?:$/.test(proxy.protocol)) {
    const remedy = `Correct it: http://HOST:PORT. Or leave the service out: NO_PROXY=${url.hostname}`;
    return warn('proxy', `what ${set.join(', ')} says is not the address of a proxy`, { remedy });
  }
  const but = found.exceptions === '' ? '' : `, but for ${found.exceptions}`;
  return ok('proxy', `requests go through ${proxy.protocol}//${proxy.host}${but}`);
}

/** Checks the settings file and reports values that the environment or a flag overrides. Throws Failure. */
function checkProfile({ host, settings }: Context): Finding {
  const file = profilesFile(host);
  readProfiles(file);
  const place = modeOf(file) === null ? 'none yet; made when first needed' : file;
  const { name, nameOrigin } = settings;
  const by = nameOrigin === 'flag' || nameOrigin === 'environment' ? `, as the ${nameOrigin} says` : '';
  return ok('settings', `${place}; ${name} in use${by}`);
}

/** Checks that other users cannot read files with keys. */
function checkModes({ host, settings }: Pick<Context, 'host' | 'settings'>): Finding[] {
  const file = profilesFile(host);
  const keyFile = settings.keyPlace === 'key_file' ? settings.profile?.api_key_file : undefined;
  return [
    permissions('settings folder', { path: dirname(file), allowed: 0o700 }, host),
    permissions('settings file', { path: file, allowed: 0o600 }, host),
    ...(keyFile === undefined
      ? []
      : [permissions('key file', { path: resolve(host.folder, keyFile), allowed: 0o600 }, host)]),
  ];
}

/** Windows has no such permissions. */
function permissions(
  check: string,
  { path, allowed }: { path: string; allowed: number },
  { platform }: Host,
): Finding {
  const mode = modeOf(path);
  if (mode === null) return ok(check, 'none yet');
  const text = mode.toString(8).padStart(4, '0');
  const isOpen = (mode & ~allowed) !== 0;
  if (platform === 'win32' || mode === allowed) return ok(check, `${path} (${text})`);
  // A key file may be read-only.
  if (!isOpen && check === 'key file') return ok(check, `${path} (${text})`);
  const command = `chmod ${allowed.toString(8)} ${quoted(path)}`;
  const fault = isOpen ? 'open to others' : 'closed to its owner';
  return warn(check, `${path} is ${fault} (${text})`, { command });
}

function modeOf(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : stats.mode & 0o777;
}

const places = {
  profile: 'in the settings file',
  key_file: 'in a key file',
  keychain: "in the system's keychain",
} as const;

/** Checks where the key is stored; reads the keychain only if the key should be there. Rejects with Failure. */
async function checkKeyPlace({ host, settings }: Context): Promise<Finding> {
  const { keyPlace, keyOrigin } = settings;
  if (keyPlace === 'keychain') {
    const { keyInKeychain } = await import('../settings/key-storage.ts');
    await keyInKeychain(settings, host);
  }
  return ok(
    'keychain',
    keyPlace === undefined ? withoutProfile(keyOrigin) : `the key is ${places[keyPlace]}`,
  );
}

function withoutProfile(keyOrigin: Settings['keyOrigin']): string {
  return keyOrigin === 'default' ? 'there is no key yet' : `the key comes from the ${keyOrigin}`;
}
