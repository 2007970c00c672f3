import type { Command } from './command.ts';
import { complain } from './failures/complain.ts';
import { DryRun, Failure } from './failures/failure.ts';
import { type Host, PipeClosed } from './host.ts';
import type { Raw } from './line/input.ts';
import { completed, globalFaults, inputError, valueFaults } from './line/missing.ts';
import { type Parsed, parse } from './line/parse.ts';
import { answerInPlace, anywhere, type Place, placeOf } from './line/place.ts';
import { resolve } from './line/resolution.ts';
import { show } from './output/show.ts';
import { openSession, type Session } from './session.ts';

/** What is known of a line so far: an error is told with it. */
export interface Known {
  argv: readonly string[];
  command: Command | null;
  words: readonly string[];
  /** The flags of the line that the commands to run next must have too. */
  place: Place;
}

/** Runs one line: words in, bytes out through the host, and the exit code. Never rejects. */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  const known: Known = { argv, command: null, words: [], place: anywhere };
  try {
    return await execute(known, host);
  } catch (error) {
    if (error instanceof PipeClosed) return 0;
    return complain(error, known, host).catch(() => 1);
  }
}

async function execute(known: Known, host: Host): Promise<number> {
  const [first] = known.argv;
  if (first === '--version' || first === '-V') return said(`${host.version}\n`, host);
  const { path, group, command, rest } = await resolve(known.argv);
  if (command === null) {
    const { bareHelp } = await import('./help/bare.ts');
    return said(await bareHelp(group, rest), host);
  }
  known.command = command;
  const parsed = parse({ path, command, rest }, host.environment);
  known.words = parsed.own.words;
  known.place = placeOf(parsed);
  if (!parsed.help) return runCommand(command, parsed, host);
  const { helpPage } = await import('./help/help.ts');
  return said(await helpPage(path), host);
}

async function said(text: string, host: Host): Promise<number> {
  await host.stdout.write(text);
  return 0;
}

async function runCommand(command: Command, parsed: Parsed, host: Host): Promise<number> {
  const faults = globalFaults(command, parsed);
  if (faults.length > 0)
    throw inputError({ missing: [], oneOf: [], bad: [...faults, ...valueFaults(command, parsed)] }, command);
  const session = openSession(command, parsed, host);
  try {
    const own = await checkedInput(command, parsed, session);
    const answer = await command.prepare(own)(session.context);
    const told = { ...session, isWrite: command.effect === 'write' };
    return await show(answerInPlace(answer, placeOf(parsed)), told, host);
  } catch (error) {
    if (error instanceof DryRun) return await show(error.answer, wholeRequest(session), host);
    if (error instanceof Failure && error.details.answer)
      await show(error.details.answer, { ...session, isWrite: command.effect === 'write' }, host);
    throw error;
  } finally {
    await session.close();
  }
}

/** The fields of `--json=a,b` are those of the answer, which a dry run has none of. */
function wholeRequest({ output, serviceNow }: Session): Pick<Session, 'output' | 'serviceNow'> {
  return { output: { ...output, fields: null }, serviceNow };
}

/** The input of a command, asked for where somebody can be asked; else one error that names all that is wrong. */
async function checkedInput(command: Command, parsed: Parsed, { context }: Session): Promise<Raw> {
  const { own } = parsed;
  const faults = { ...command.check(own), bad: valueFaults(command, parsed) };
  const isWhole = faults.missing.length === 0 && faults.oneOf.length === 0;
  if (faults.bad.length === 0 && isWhole) return own;
  if (faults.bad.length > 0 || !context.interactive) throw inputError(faults, command);
  if (faults.missing.length === 0) return own;
  return completed(command, own, await context.prompts());
}
