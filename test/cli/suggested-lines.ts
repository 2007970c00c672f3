import { standInsOf } from '../../src/cli/kit/args/ask-input.ts';
import { newLineState } from '../../src/cli/kit/args/line-parser.ts';
import { globalFaults, valueFaults } from '../../src/cli/kit/args/missing-input.ts';
import { isGlobalFlag, runLine } from '../../src/cli/kit/args/run-line.ts';
import { UsageError } from '../../src/cli/kit/errors/failure.ts';
import { shellWords } from '../../src/cli/kit/result/message.ts';
import { expandShortcut } from '../../src/cli/program.ts';
import { tree } from '../../src/cli/tree.ts';

/** Lines below an error or a result, between backticks, behind "Did you mean" or a colon. */
const shown = [
  /^ {2}(waybill .*?)(?: +\([^)]*\))?$/gm,
  /`(waybill [^`]+)`/g,
  /Did you mean (waybill [^?\n]+)\?/g,
  /: (waybill (?!asks )(?:'[^'\n]*'|[^'`\n])+?)(?:[.,]? \(|, or(?: |$)|\. (?=[A-Z])|[.?]?$)/gm,
];

/** The commands that a text for people or programs suggests, each as its words. */
function suggestedLines(stderr: string): string[][] {
  const errors = stderr.split('\n').filter((line) => line.startsWith('{"error":'));
  if (errors.length > 0) return errors.flatMap((line) => wordsOfNext(JSON.parse(line).error));
  const lines = shown.flatMap((pattern) => [...stderr.matchAll(pattern)].map(([, line = '']) => line));
  return lines.flatMap((line) =>
    line.split(/ or (?=waybill )/).map((each) => shellWords(each.replaceAll("'\\''", '’')).slice(1)),
  );
}

function wordsOfNext({ next }: { next: { args: string[] }[] }): string[][] {
  return next.map(({ args }) => args);
}

const parsed = new Map<string, string | null>();

/** The suggested commands that the tree does not take, each with its fault. */
export async function suggestionFaults(stderr: string): Promise<string[]> {
  const faults: string[] = [];
  for (const words of suggestedLines(stderr)) {
    const line = words.join(' ');
    if (!parsed.has(line)) parsed.set(line, await parseFault(words));
    const fault = parsed.get(line) ?? null;
    if (fault !== null) faults.push(`waybill ${line}: ${fault}`);
  }
  return faults;
}

/** Why a line is none of the program; null if it is. A placeholder is a value, and what is missing may be asked for. */
async function parseFault(argv: readonly string[]): Promise<string | null> {
  if (argv[0] === '--version') return null;
  let fault: string | null = null;
  const accepted = async () => 0;
  const line = { tree, argv: expandShortcut(argv), environment: {}, state: newLineState(isGlobalFlag) };
  await runLine(line, {
    ...{ commandFound: () => {}, help: accepted, withoutCommand: accepted, opensWizard: () => false },
    unknownCommand: async () => new UsageError('there is no such command'),
    command: async (_, command, found) => {
      const open = standInsOf(command, found).map(({ label }) => label);
      const invalid = [...valueFaults(command, found), ...globalFaults(command, found)];
      const first = invalid.find(({ label }) => !open.includes(label));
      fault = first === undefined ? null : `${first.label} ${first.message}`;
      return 0;
    },
  }).catch((error: unknown) => {
    fault = String(error);
  });
  return fault;
}
