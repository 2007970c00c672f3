import type { ExitCode } from '../kit/errors/failure.ts';
import type { InterruptionStatus, Signal } from '../kit/host/host.ts';
import { escapedJson } from '../kit/output/sanitize.ts';
import { argvOf, shellLine } from '../kit/result/message.ts';

/** The meaning of an exit code; `category` is its name in JSON errors. */
interface ExitMeaning {
  code: ExitCode;
  category: string;
  meaning: string;
}

/** Every exit code of the program. */
export const exits = [
  { code: 0, category: 'done', meaning: 'success (an empty list too)' },
  { code: 1, category: 'internal', meaning: 'internal error' },
  {
    code: 2,
    category: 'usage',
    meaning: 'usage error: unknown or missing flag, invalid input, confirmation required',
  },
  { code: 3, category: 'declined', meaning: 'declined at the prompt' },
  { code: 4, category: 'authentication', meaning: 'missing or invalid API key, or not permitted' },
  { code: 5, category: 'not_found', meaning: 'not found' },
  {
    code: 6,
    category: 'conflict',
    meaning:
      'conflict: route not draft, quote expired, wrong mode, above --max-cost or --max-fee, file already being imported',
  },
  { code: 7, category: 'unreachable', meaning: 'service unreachable, or 5xx after retries' },
  { code: 8, category: 'pending', meaning: 'timed out while still pending' },
  { code: 9, category: 'outcome', meaning: 'unsuccessful outcome: failed, canceled, returned, no quotes' },
  { code: 10, category: 'partial', meaning: 'some items of a bulk operation failed' },
  { code: 11, category: 'rate_limited', meaning: 'rate limited after retries' },
  { code: 129, category: 'interrupted', meaning: 'terminal closed (ended by SIGHUP)' },
  { code: 130, category: 'interrupted', meaning: 'interrupted with Ctrl+C (ended by SIGINT)' },
  { code: 143, category: 'interrupted', meaning: 'terminated (ended by SIGTERM)' },
] as const satisfies readonly ExitMeaning[];

/** The category of an exit code; a code outside the table is a fault of this program. */
export function categoryOf(code: number): string {
  return exits.find((exit) => exit.code === code)?.category ?? 'internal';
}

const signalExits = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The text printed when the process ends by a signal or by Ctrl+C at a prompt. */
export function interruptionText(signal: Signal, status: InterruptionStatus | null, isJson: boolean): string {
  const ended = signal === 'SIGINT' ? 'Interrupted.' : 'Terminated.';
  const message = `${ended} ${status?.text ?? ''}`.trimEnd();
  if (!isJson) return `${signal === 'SIGINT' ? '\n' : ''}${message}\n`;
  const exit = signalExits[signal];
  const next = (status?.next ?? []).map((line) => {
    return { command: shellLine(line), args: argvOf(line), when: 'go on' };
  });
  const error = { code: 'interrupted', message, category: categoryOf(exit), next, exit };
  return `${escapedJson(JSON.stringify({ error }))}\n`;
}
