import { escapedJson, sanitized } from '../output/sanitize.ts';
import { categoryOf } from './exit.ts';

export type Signal = 'SIGINT' | 'SIGTERM';

/** In backticks, or behind a colon at the very end. */
const commands = /`(waybill [^`]+)`|: (waybill [^`]+)$/g;

/** What is said as the program ends: by a signal, or by Ctrl+C at a prompt. */
export function interruptionText(signal: Signal, standing: string | null, isJson: boolean): string {
  const ended = signal === 'SIGINT' ? 'Interrupted.' : 'Told to end.';
  const message = `${ended} ${sanitized(standing ?? '')}`.trimEnd();
  if (!isJson) return `${signal === 'SIGINT' ? '\n' : ''}${message}\n`;
  const exit = signal === 'SIGINT' ? 130 : 143;
  const next = [...message.matchAll(commands)].map(([, quoted, last]) => {
    return { command: quoted ?? last ?? '', when: 'go on' };
  });
  const error = { code: 'interrupted', message, category: categoryOf(exit), next, exit };
  return `${escapedJson(JSON.stringify({ error }))}\n`;
}
