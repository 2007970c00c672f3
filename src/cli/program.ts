/** Runs one command line: parsing, input, the command, its result or error. */
import { AcceptedUnread } from '../client/errors.ts';
import { isFields } from '../domain/fields.ts';
import type { LineProgress } from './errors/write-error.ts';
import { askForMissing, askForStandIns, standInError, standInsOf } from './kit/args/ask-input.ts';
import type { RawInput } from './kit/args/command-input.ts';
import { noContextFlags, readContextFlags } from './kit/args/context-flags.ts';
import { type LineState, newLineState } from './kit/args/line-parser.ts';
import {
  addMissingYes,
  commandFaults,
  globalFaults,
  inputError,
  valueFaults,
} from './kit/args/missing-input.ts';
import { type FlagTexts, type ParsedLine, wantsJson, withConfigFile } from './kit/args/parsed-line.ts';
import { isGlobalFlag, runLine, separateGlobalFlags } from './kit/args/run-line.ts';
import { DryRun, Failure, UsageError } from './kit/errors/failure.ts';
import { type Host, PipeClosed } from './kit/host/host.ts';
import type { JqFilter } from './kit/output/output-settings.ts';
import { isCi } from './kit/output/progress.ts';
import { writeResult } from './kit/output/write-result.ts';
import type { Result } from './kit/result/result.ts';
import { latestRecords, withIdFromStdin, withoutShortcut } from './records.ts';
import type { Command } from './session/command.ts';
import type { ServiceHost } from './session/connect.ts';
import { openSession, type Session } from './session/session.ts';
import { fromHome } from './settings/settings.ts';
import { tree } from './tree.ts';

/** The part of a line that is parsed so far. */
interface RunProgress extends LineProgress {
  session: Session | null;
}

/** Executes one command line and returns the exit code. Never rejects. */
export async function run(argv: readonly string[], host: ServiceHost): Promise<number> {
  const line = newLineState(isGlobalFlag);
  const progress: RunProgress = { line, command: null, words: [], context: noContextFlags, session: null };
  host.interruption.isJson = () => progress.session?.output.json ?? wantsJson(line.texts, host.environment);
  try {
    requireText(argv);
    return await execute(argv, progress, host);
  } catch (error) {
    if (error instanceof PipeClosed) return 0;
    return reportFailure(error, progress, host).catch(() => 1);
  }
}

/** Node reads bytes that are not UTF-8 as this character: a name in another encoding would be stored without its letters. */
function requireText(argv: readonly string[]): void {
  const broken = argv.find((word) => word.includes('\uFFFD'));
  if (broken !== undefined)
    throw new UsageError(`An argument has bytes that are not UTF-8: "${broken}".`, {
      hint: 'Convert it first, for example with iconv -f LATIN1, or give it in a file in UTF-8.',
    });
}

/** Few lines fail: the error report is only loaded then. */
async function reportFailure(error: unknown, progress: LineProgress, host: Host): Promise<number> {
  const { reportError } = await import('./errors/write-error.ts');
  return reportError(error, progress, host);
}

/** The line with the whole command: `--profile shop deliveries get joe` for `--profile shop find joe`. */
export function expandShortcut(argv: readonly string[]): readonly string[] {
  const { flags, words } = separateGlobalFlags(argv);
  const whole = withoutShortcut(words);
  return whole === words ? argv : [...flags, ...whole];
}

function execute(argv: readonly string[], progress: RunProgress, host: ServiceHost): Promise<number> {
  const { line } = progress;
  const { environment, stdout } = host;
  if (isVersionFlag(argv[0])) return printText(`${host.version}\n`, line, host);
  return runLine(
    { tree, argv: expandShortcut(argv), environment, state: line },
    {
      commandFound: (command) => {
        progress.command = command;
      },
      command: (_, command, parsed) => {
        progress.words = parsed.own.words;
        progress.context = readContextFlags(parsed);
        return runCommand(command, parsed, progress, host);
      },
      help: async (path, isShort) => {
        const { helpPage } = await import('./help/help-pages.ts');
        const text = await helpPage(path, tree, { columns: stdout.columns, isShort });
        return printText(text, line, host);
      },
      withoutCommand: async (group) => {
        const { helpWithoutCommand: bareHelp } = await import('./help/help-pages.ts');
        const isJson = line.texts.has('json');
        return printText(await bareHelp(group, { tree, isJson, columns: stdout.columns }), line, host);
      },
      opensWizard: () => opensWizard(line.texts, host),
      unknownCommand: async (state) => (await import('./help/guess-command.ts')).unknownCommand(state, tree),
    },
  );
}

/** `-v` is not in the help; other programs use it for the version. */
function isVersionFlag(word: string | undefined): boolean {
  return word === '--version' || word === '-V' || word === '-v';
}

/** Shows a help page, paged on a terminal. */
async function printText(text: string, { texts }: LineState, host: Host): Promise<number> {
  if (host.stdout.isTerminal) {
    const { writeTextToTerminal: textOnScreen } = await import('./kit/output/terminal-output.ts');
    await textOnScreen(text, texts, host);
  } else await host.stdout.write(text);
  return 0;
}

async function runCommand(
  command: Command,
  line: ParsedLine,
  progress: RunProgress,
  host: ServiceHost,
): Promise<number> {
  const parsed = command.configFlag === null ? line : await addConfigFile(command, line, host);
  const faults = globalFaults(command, parsed);
  if (faults.length > 0)
    throw inputError(
      { missing: [], oneOf: [], invalid: [...faults, ...valueFaults(command, parsed)] },
      command,
      parsed,
    );
  const session = openSession(command, parsed, { host, tree });
  progress.session = session;
  const commandRun: CommandRun = { session, command, filter: null, areFieldsKnown: false };
  try {
    const own = await withIdFromStdin(
      command,
      await completeInput(command, parsed, session),
      session.context,
    );
    commandRun.areFieldsKnown = await checkFieldNames(command, session, own);
    commandRun.filter = await parseFilter(session);
    const answer = await command.prepare(own)(session.context);
    const exit = await showResult(answer, commandRun, host);
    return exit;
  } catch (error) {
    if (error instanceof DryRun) return await writeResult(error.answer, withoutFields(session), host);
    if (error instanceof AcceptedUnread) {
      const { acceptedResult: acceptedAnswer } = await import('./errors/error-report.ts');
      return await writeResult(acceptedAnswer(error, session.context.has), withoutFields(session), host);
    }
    if (error instanceof Failure && error.details.answer)
      await showResult(error.details.answer, commandRun, host).catch(ignoreClosedPipe);
    throw error;
  } finally {
    await session.close();
  }
}

/** Few commands have a configuration file: its reader is only loaded for them. */
async function addConfigFile(command: Command, line: ParsedLine, host: ServiceHost): Promise<ParsedLine> {
  const { readInputFile } = await import('./kit/system/files.ts');
  return withConfigFile(
    command,
    line,
    (text) => fromHome(text, host.home),
    (path) => readInputFile(path, host),
  );
}

/** A closed pipe hides the result; the exit code of the command is still right. */
function ignoreClosedPipe(error: unknown): void {
  if (!(error instanceof PipeClosed)) throw error;
}

interface CommandRun {
  session: Session;
  command: Command;
  /** The filter of `--jq`. */
  filter: JqFilter | null;
  /** Whether the fields of `--json=a,b` were checked before anything was written. */
  areFieldsKnown: boolean;
}

/**
 * Rejects an unknown field of `--json=a,b` before a write, because its result may not be available again. Returns whether
 * all fields are known: then one that this result has not is null, and no error after the write.
 */
async function checkFieldNames(
  command: Command,
  { output: { fields } }: Session,
  own: RawInput,
): Promise<boolean> {
  if (command.effect !== 'write' || fields === null) return false;
  const { checkAnswerFields } = await import('./help/command-facts.ts');
  return checkAnswerFields(command, fields, own);
}

/** An invalid filter is reported before anything is done. */
async function parseFilter({ context, output }: Session): Promise<JqFilter | null> {
  if (output.jq === null) return null;
  const { jqFilter } = await import('./kit/output/jq.ts');
  return jqFilter(output.jq, context);
}

async function showResult(
  answer: Result,
  { session, filter, areFieldsKnown, command }: CommandRun,
  host: Host,
): Promise<number> {
  const output = command.name === 'create' ? quietOutput(session.output, answer) : session.output;
  const isWrite = command.effect === 'write';
  return writeResult(answer, { ...session, output, filter, areFieldsKnown, isWrite }, host);
}

/** With --quiet, what was created is its ID, unless a format was chosen, or it has a secret that is shown only once. */
function quietOutput(output: Session['output'], answer: Result): Session['output'] {
  if (!output.quiet || output.isFormatNamed || output.columns !== null || answer.kind !== 'record')
    return output;
  const { data } = answer.row;
  return isFields(data) && ('secret' in data || 'key' in data) ? output : { ...output, format: 'id' };
}

/** The fields of `--json=a,b` belong to the result, which a dry run does not have. */
function withoutFields(session: Session): Session {
  return { ...session, output: { ...session.output, fields: null } };
}

/** Prompts for missing input if possible; otherwise one error lists all faults. */
async function completeInput(command: Command, line: ParsedLine, { context }: Session): Promise<RawInput> {
  const { statuses } = Object.values(command.positionals).find((each) => each.statuses !== undefined) ?? {};
  const offerRecords = (kind: string) => latestRecords(context, kind, statuses);
  const standIns = standInsOf(command, line);
  if (standIns.length > 0 && !context.interactive) throw standInError(standIns);
  const parsed =
    standIns.length === 0
      ? line
      : { ...line, own: await askForStandIns(standIns, line.own, await context.prompts(), offerRecords) };
  const { own } = parsed;
  const faults = commandFaults(command, parsed);
  const isWhole = faults.missing.length === 0 && faults.oneOf.length === 0;
  if (faults.invalid.length === 0 && isWhole) return own;
  const isAsked = context.interactive && (faults.oneOf.length === 0 || command.asksInstead);
  if (!isAsked)
    throw inputError(addMissingYes(faults, command, { own, globals: context.globals }), command, parsed);
  if (faults.invalid.length > 0) throw inputError(faults, command, parsed);
  if (faults.missing.length === 0) return own;
  return askForMissing(command, own, await context.prompts(), offerRecords);
}

/** True if a command line without a command opens the wizard: in an interactive terminal. */
function opensWizard(texts: FlagTexts, host: Host): boolean {
  if (!host.stderr.isTerminal || !host.stdin.isTerminal || isCi(host)) return false;
  const input = texts.get('input')?.at(-1) ?? host.environment.WAYBILL_INPUT ?? '';
  return !wantsJson(texts, host.environment) && !['0', 'false', 'no', 'off'].includes(input);
}
