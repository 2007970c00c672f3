import type { InterruptionStatus, Signal } from '../kit/host/host.ts';
import { escapedJson } from '../kit/output/sanitize.ts';
import { argvOf, shellLine } from '../kit/result/invocation.ts';
import { categoryOf } from './exit-codes.ts';

const exits = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The text printed when the process ends by a signal or by Ctrl+C at a prompt. */
export function interruptionText(signal: Signal, status: InterruptionStatus | null, isJson: boolean): string {
  const ended = signal === 'SIGINT' ? 'Interrupted.' : 'Terminated.';
  const message = `${ended} ${status?.text ?? ''}`.trimEnd();
  if (!isJson) return `${signal === 'SIGINT' ? '\n' : ''}${message}\n`;
  const exit = exits[signal];
  const next = (status?.next ?? []).map((line) => {
    return { command: shellLine(line), args: argvOf(line), when: 'go on' };
  });
  const error = { code: 'interrupted', message, category: categoryOf(exit), next, exit };
  return `${escapedJson(JSON.stringify({ error }))}\n`;
}
