import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase } from '../kit/output/message.ts';

/** Who sends events where no service runs beside the commands; nothing where one does. */
export function sendersNotes({ settings }: Context): Text[] {
  if (settings.target.kind !== 'embedded') return [];
  return [
    phrase`Events are sent while \`${invocation('serve')}\` or \`${invocation('listen')}\` runs, and by \`${invocation('sandbox advance')}\`; other commands leave them waiting.`,
  ];
}
