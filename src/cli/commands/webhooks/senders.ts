import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';

/** Notes that the embedded service only sends events during commands; empty for a running service. */
export function sendersNotes({ settings }: Context): Text[] {
  if (settings.target.kind !== 'embedded') return [];
  return [
    phrase`Events are sent while \`${invocation('serve')}\` or \`${invocation('listen')}\` runs, and by \`${invocation('sandbox advance')}\`; other commands leave them waiting.`,
  ];
}
