import { type Texts, wantsJson } from '../../kit/args/parsed-line.ts';
import type { Host } from '../../kit/host/host.ts';
import { isCi } from '../../kit/output/progress.ts';

/** True if a command line without a command opens the wizard: in an interactive terminal. */
export function opensWizard(texts: Texts, host: Host): boolean {
  if (!host.stderr.isTerminal || !host.stdin.isTerminal || isCi(host)) return false;
  const input = texts.get('input')?.at(-1) ?? host.environment.WAYBILL_INPUT ?? '';
  return !wantsJson(texts, host.environment) && !['0', 'false', 'no', 'off'].includes(input);
}
