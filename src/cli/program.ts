import { AcceptedUnread } from '../client/errors.ts';
import type { Known } from './errors/error-format.ts';
import type { Raw } from './kit/args/command-spec.ts';
import { type LineState, newLineState } from './kit/args/line-parser.ts';
import {
  completed,
  faultsIn,
  globalFaults,
  inputError,
  valueFaults,
  withYes,
} from './kit/args/missing-input.ts';
import { type Parsed, wantsJson } from './kit/args/parsed-line.ts';
import { isGlobalFlag, runLine } from './kit/args/run-line.ts';
import { contextFlagsOf, noContextFlags } from './kit/args/with-context-flags.ts';
import { DryRun, Failure } from './kit/errors/failure.ts';
import { type Host, PipeClosed } from './kit/host/host.ts';
import { isCi } from './kit/output/progress.ts';
import type { Shape } from './kit/output/shape.ts';
import { show } from './kit/output/show.ts';
import type { Result } from './kit/result/result.ts';
import type { Command } from './session/command.ts';
import type { ServiceHost } from './session/connect.ts';
import { openSession, type Session } from './session/session.ts';
import { tree } from './tree.ts';

/** The part of a line that is understood so far. */
interface Progress extends Known {
  session: Session | null;
}

/** Runs one line: words in, bytes out through the host, and the exit code. Never rejects. */
export async function run(argv: readonly string[], host: ServiceHost): Promise<number> {
  const line = newLineState(isGlobalFlag);
  const known: Progress = { line, command: null, words: [], context: noContextFlags, session: null };
  host.interruption.isJson = () => known.session?.output.json ?? wantsJson(line.texts, host.environment);
  try {
    return await execute(argv, known, host);
  } catch (error) {
    if (error instanceof PipeClosed) return 0;
    return complained(error, known, host).catch(() => 1);
  }
}

/** Few lines go wrong: what tells of it is loaded by those that do. */
async function complained(error: unknown, known: Known, host: Host): Promise<number> {
  const { reportError } = await import('./errors/report-error.ts');
  return reportError(error, known, host);
}

function execute(argv: readonly string[], known: Progress, host: ServiceHost): Promise<number> {
  const { line } = known;
  const { environment, stdout } = host;
  if (isVersionFlag(argv[0])) return said(`${host.version}\n`, line, host);
  return runLine(
    { tree, argv, environment, state: line },
    {
      found: (command) => {
        known.command = command;
      },
      command: (_, command, parsed) => {
        known.words = parsed.own.words;
        known.context = contextFlagsOf(parsed);
        return runCommand(command, parsed, known, host);
      },
      help: async (path) => {
        const { helpPage } = await import('./help/help.ts');
        return said(await helpPage(path, tree, stdout.columns), line, host);
      },
      bare: async (group) => {
        const { bareHelp } = await import('./help/bare.ts');
        const isJson = line.texts.has('json');
        return said(await bareHelp(group, { tree, isJson, columns: stdout.columns }), line, host);
      },
      opensWizard: async () => (await import('./commands/new/wizard-entry.ts')).opensWizard(line.texts, host),
      unknownCommand: async (state) =>
        (await import('./errors/unknown-command.ts')).unknownCommand(state, tree),
    },
  );
}

/** `-v` is not in the help: only some programs call it so. */
function isVersionFlag(word: string | undefined): boolean {
  return word === '--version' || word === '-V' || word === '-v';
}

/** A page of help, on a terminal by way of the pager. */
async function said(text: string, { texts }: LineState, host: Host): Promise<number> {
  if (host.stdout.isTerminal) {
    const { textOnScreen } = await import('./kit/output/paging.ts');
    await textOnScreen(text, texts, host);
  } else await host.stdout.write(text);
  return 0;
}

async function runCommand(
  command: Command,
  parsed: Parsed,
  known: Progress,
  host: ServiceHost,
): Promise<number> {
  const faults = globalFaults(command, parsed);
  if (faults.length > 0)
    throw inputError({ missing: [], oneOf: [], bad: [...faults, ...valueFaults(command, parsed)] }, command);
  const session = openSession(command, parsed, { host, tree });
  known.session = session;
  const run: Run = { session, command, shape: null };
  try {
    const own = await checkedInput(command, parsed, session);
    run.shape = await shapeAsked(session);
    const answer = await command.prepare(own)(session.context);
    const exit = await shown(answer, run, host);
    await tellOfUpdate(session, host);
    return exit;
  } catch (error) {
    if (error instanceof DryRun) return await show(error.answer, wholeRequest(session), host);
    if (error instanceof AcceptedUnread) {
      const { acceptedAnswer } = await import('./errors/accepted-unread.ts');
      return await show(acceptedAnswer(error), wholeRequest(session), host);
    }
    if (error instanceof Failure && error.details.answer)
      await shown(error.details.answer, run, host).catch(unlessGone);
    throw error;
  } finally {
    await session.close();
  }
}

/** A reader that has gone hears no answer; how the command ended is true all the same. */
function unlessGone(error: unknown): void {
  if (!(error instanceof PipeClosed)) throw error;
}

interface Run {
  session: Session;
  command: Command;
  /** What `--jq` or `--template` makes of the answer. */
  shape: Shape | null;
}

/** A filter or a template that is none is told before anything is done. */
async function shapeAsked({ context, output }: Session): Promise<Shape | null> {
  if (output.jq === null && output.template === null) return null;
  const { shapeOf } = await import('./kit/output/parse-shape.ts');
  return shapeOf(output, context);
}

/** Shows an answer; what somebody saw of records in a terminal can be completed there afterwards. */
async function shown(
  answer: Result,
  { session, shape, command: { effect } }: Run,
  host: Host,
): Promise<number> {
  const { stdout, stderr, environment } = host;
  const told = { ...session, shape, isWrite: effect === 'write' };
  const isSeen = effect !== 'none' && (stdout.isTerminal || stderr.isTerminal) && !isCi(host);
  if (!isSeen || environment.WAYBILL_NO_CACHE) return show(answer, told, host);
  const { remembered } = await import('./completion/save-seen-ids.ts');
  return remembered(answer, session.context, (watched) => show(watched, told, host));
}

/** A word of a newer version, once the answer stands; that it could not be said is no fault of the command. */
async function tellOfUpdate({ context, output }: Session, { stderr }: Host): Promise<void> {
  if (output.json || output.quiet || !stderr.isTerminal) return;
  const { noticeUpdate } = await import('./updates/notice.ts');
  await noticeUpdate(context).catch(() => {});
}

/** The fields of `--json=a,b` are those of the answer, which a dry run has none of. */
function wholeRequest(session: Session): Session {
  return { ...session, output: { ...session.output, fields: null } };
}

/** The input of a command, asked for where somebody can be asked; else one error that names all that is wrong. */
async function checkedInput(command: Command, parsed: Parsed, { context }: Session): Promise<Raw> {
  const { own } = parsed;
  const faults = faultsIn(command, parsed);
  const isWhole = faults.missing.length === 0 && faults.oneOf.length === 0;
  if (faults.bad.length === 0 && isWhole) return own;
  if (!context.interactive)
    throw inputError(withYes(faults, command, { own, asked: context.asked }), command);
  if (faults.bad.length > 0) throw inputError(faults, command);
  if (faults.missing.length === 0) return own;
  const onlyOpen = Object.values(command.positionals).some((place) => place.onlyOpen === true);
  const { latestRecords } = await import('./session/latest-records.ts');
  return completed(command, own, await context.prompts(), (kind) =>
    latestRecords(context, kind, { onlyOpen }),
  );
}
