import { type Texts, wantsJson } from '../../kit/args/parsed-line.ts';
import type { Host } from '../../kit/host/host.ts';
import { isCi } from '../../kit/output/progress.ts';

/** Whether the wizard is wanted where no command is typed: by a person in a terminal who may be asked. */
export function opensWizard(texts: Texts, host: Host): boolean {
  if (!host.stderr.isTerminal || !host.stdin.isTerminal || isCi(host)) return false;
  const input = texts.get('input')?.at(-1) ?? host.environment.WAYBILL_INPUT ?? '';
  return !wantsJson(texts, host.environment) && !['0', 'false', 'no', 'off'].includes(input);
}
