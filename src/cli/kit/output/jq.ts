import { UsageError } from '../errors/failure.ts';
import { type JqRun, openJq, SyncTimeout, TooLarge } from '../system/jq-engine.ts';
import type { Filter } from './json.ts';
import { escapedJson, sanitized } from './sanitize.ts';

/** Applies the filter of `--jq`. UsageError with jq's message if it is invalid. */
export async function jqFilter(filter: string, { warn }: { warn(line: string): void }): Promise<Filter> {
  const jq = openJq();
  const { status, stderr } = await withUsageErrors(jq('', filter));
  if (status !== 0)
    throw new UsageError(`Invalid --jq filter.\n${stderr.trim()}`, { code: 'bad_expression' });
  return {
    async apply(documents, isTerminal) {
      const input = documents.map((data) => JSON.stringify(data) ?? 'null').join('\n');
      const { status: end, stdout, stderr: said } = await withUsageErrors(jq(input, filter));
      const text = printedLines(stdout, isTerminal);
      if (end !== 0) return { text, fault: `--jq does not fit the answer.\n${said.trim()}` };
      for (const line of said.split('\n')) if (line !== '') warn(line);
      return { text, fault: null };
    },
  };
}

async function withUsageErrors(run: Promise<JqRun>): Promise<JqRun> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof SyncTimeout || error instanceof TooLarge)
      throw new UsageError(`--jq was stopped: ${error.message}.`, {
        code: 'expression_failed',
        cause: error,
      });
    throw error;
  }
}

/** Prints strings raw, sanitized for a terminal, and all else as JSON on a line. */
function printedLines(lines: string, isTerminal: boolean): string {
  return lines
    .split('\n')
    .map((line) => (line.startsWith('"') ? raw(line, isTerminal) : escapedJson(line)))
    .join('\n');
}

function raw(json: string, isTerminal: boolean): string {
  const text: unknown = JSON.parse(json);
  return isTerminal ? sanitized(String(text)) : String(text);
}
