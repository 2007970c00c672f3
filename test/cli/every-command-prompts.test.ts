import { expect, test } from 'vitest';
import { flagLabel, positionalLabel } from '../../src/cli/kit/args/command-input.ts';
import { globalsFor } from '../../src/cli/kit/args/global-flags.ts';
import { Interrupted } from '../../src/cli/kit/errors/failure.ts';
import type { Prompts } from '../../src/cli/kit/host/host.ts';
import { oneOf } from '../in-part.ts';
import { commands, type Entry } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { errorOf } from './harness.ts';

const { ids, run } = await everyRecord();

/** Prompts without answers; the questions are recorded. */
function unanswered(asked: string[]): Prompts {
  const leave = async (message: string): Promise<never> => {
    asked.push(message);
    throw new Interrupted();
  };
  return { text: leave, secret: leave, confirm: leave, select: leave, search: leave, checkbox: leave };
}

/** The names of the flags and arguments of the command, and of the equivalent command without prompts. */
function labelsOf({ command }: Entry): string[] {
  const { flags, positionals } = command;
  const ship = commands.find(({ words }) => words === 'ship')?.command.flags;
  return [
    ...Object.keys({ ...globalsFor(command), ...flags, ...(command.name === 'new' ? ship : {}) }).map(
      flagLabel,
    ),
    ...Object.keys(positionals).map(positionalLabel),
  ];
}

/** Commands that may end at a prompt: without arguments, and with all but the confirmation. */
function openLines(entry: Entry): string[][] {
  const { words } = lineOf(entry, ids);
  return [entry.path, words.filter((word) => word !== '--yes')];
}

const asking = commands.filter(oneOf(2));

test.each(asking)('$words: every prompt has a flag, which is named without a terminal', async (entry) => {
  for (const line of openLines(entry)) {
    const asked: string[] = [];
    const controller = new AbortController();
    // A command that follows events has nothing to print and no prompt: it is aborted.
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(2000)]);
    const written = () => queueMicrotask(() => controller.abort());
    await run(line, { tty: true, prompts: unanswered(asked), signal, written });
    if (asked.length === 0) continue;
    const { stdout, stderr, exit, sent } = await run(line, { env: { WAYBILL_JSON: '1' } });
    expect({ asked, stdout, exit }).toEqual({ asked, stdout: '', exit: 2 });
    expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
    const { missing } = errorOf(stderr);
    const labels = String(missing)
      .split(/,| or /)
      .map((label) => label.trim());
    expect(labels).not.toEqual(['']);
    expect(labelsOf(entry)).toEqual(expect.arrayContaining(labels));
  }
});
