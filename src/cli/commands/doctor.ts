/**
 * `doctor`: which checks are made, in which order, which are left out after one that failed, and the exit code. The checks
 * themselves are in the folder `doctor`.
 */
import { exits } from '../errors/error-codes.ts';
import { connectionFlagNames } from '../kit/args/command-input.ts';
import { type ExitCode, Failure } from '../kit/errors/failure.ts';
import { alignedRows, type Cell } from '../kit/output/aligned-rows.ts';
import { oneLine, redacted } from '../kit/output/safe-text.ts';
import { invocation, invocationsIn, joinedTexts } from '../kit/result/message.ts';
import { type Column, type Formatters, listResult } from '../kit/result/result.ts';
import { missingKeysText } from '../session/administer.ts';
import { type Context, defineCommand } from '../session/command.ts';
import {
  checkFileModes,
  checkKeyStorage,
  checkProfile,
  checkProxy,
  checkRuntime,
  checkTerminal,
} from './doctor/check-machine.ts';
import { checkService } from './doctor/check-service.ts';
import { checkStorage } from './doctor/check-storage.ts';
import { type Finding, fixKey, ok, runCheck, warn } from './doctor/finding.ts';

/** A finding whose commands carry the context flags of this run. */
type ShownFinding = Omit<Finding, 'remedy' | 'command'> & { remedy: string; command: string | null };

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
  connectionFlags: connectionFlagNames,
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
    const answer = listResult({ data: shown, columns, draw: findingText, isDense: true });
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

/** The widths of the longest values, so that findings align. */
const [statusWidth, checkWidth] = ['fail'.length, 'settings folder'.length];

/** Formats a finding for people: the result, and below it the fix. */
function findingText({ check, status, found, remedy, command }: ShownFinding, show: Formatters): string {
  const sides = (left: string, right: string) => [
    { text: left, paint: show.status, width: statusWidth },
    { text: right, width: checkWidth },
  ];
  const paint = status === 'ok' ? show.dim : show.strong;
  const fixes: Cell[] = [{ text: oneLine(remedy) }, { text: oneLine(command ?? ''), isWhole: true }];
  const rows = [
    [...sides(status, check), { text: oneLine(found) }],
    ...fixes.filter(({ text }) => text !== '').map((fix) => [...sides('', ''), { ...fix, paint }]),
  ];
  return alignedRows(rows, { room: show.room, indent: 0 }).join('\n');
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
    ...(isReadable ? await checkSettingsInUse(context) : []),
    await runCheck('terminal', context, () => checkTerminal(context)),
  ];
}

async function checkSettingsInUse(context: Context): Promise<Finding[]> {
  const { host } = context;
  const key = await runCheck('keychain', context, () => checkKeyStorage(context));
  return [
    ...checkFileModes(context),
    key,
    ...(key.status === 'fail' ? [] : await checkTarget(context)),
    await runCheck('proxy', context, () => checkProxy(host, context.settings.target)),
  ];
}

/** Checks the storage and the service in use: its response, account, clock and missing features. */
async function checkTarget(context: Context): Promise<Finding[]> {
  const { target } = context.settings;
  if (target.kind === 'http') return checkService(context);
  let isCurrent = false;
  let isThere = true;
  const storage = await runCheck('storage', context, async () => {
    const state = await checkStorage(target.file);
    isCurrent = state.isCurrent;
    isThere = state.isThere;
    return state.finding;
  });
  if (storage.status === 'fail') return [storage];
  if (!isCurrent) {
    const service = ok('service', 'embedded; it begins with the first command that uses it');
    return [storage, service, ...(isThere ? [] : unknownKeyWarning(context))];
  }
  return [storage, ...(await missingKeys(context, target.file)), ...(await checkService(context))];
}

/** Fails if a key is missing that stored secrets are encrypted with. */
async function missingKeys(context: Context, database: string): Promise<Finding[]> {
  const finding = await runCheck('secrets', context, async () => {
    const text = await missingKeysText(context, { database });
    if (text === null) return ok('secrets', '');
    throw new Failure(6, 'secret_key_missing', text, {
      hint: 'Put the key back, from where it was backed up apart from the database.',
      next: [
        { ...invocation('secrets status', [], { database }), when: 'see which keys the database needs' },
      ],
    });
  });
  return finding.status === 'fail' ? [finding] : [];
}

/** Warns that a new database does not know a key that was given. */
function unknownKeyWarning(context: Context): Finding[] {
  const { keyOrigin } = context.settings;
  if (keyOrigin !== 'flag' && keyOrigin !== 'environment') return [];
  return [warn('key', 'it is for another service: this one creates its own key', fixKey(context))];
}
