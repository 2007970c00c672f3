import { withPhonesMasked } from '../../kit/output/phones.ts';
import { sanitized } from '../../kit/output/sanitize.ts';
import type { Context } from '../../session/context.ts';
import type { Forwarder } from './forwarding.ts';

/** What a person at a terminal can do while events are forwarded. */
export const keysHint = 'Keys: r sends the last event again, d shows it, q leaves';

/** Reads keys until what it gives is called; `leave` and faults are the caller's to deal with. */
export async function readKeys(
  context: Context,
  forwarder: Forwarder,
  { leave, failed }: { leave(): void; failed(error: unknown): void },
): Promise<() => void> {
  const actions: Record<string, () => void> = {
    q: leave,
    r: () => void resend(context, forwarder).catch(failed),
    d: () => void showLast(context, forwarder).catch(failed),
  };
  return context.host.keys((key) => actions[key.toLowerCase()]?.());
}

async function resend({ note }: Context, forwarder: Forwarder): Promise<void> {
  const event = forwarder.last();
  if (event === null) note('No event has come yet.');
  else if (!(await forwarder.again(event))) note(`${event.type} goes nowhere.`);
}

/** On stderr: it is for who pressed the key, and the answer of the command may go elsewhere. */
async function showLast({ host, note, output }: Context, forwarder: Forwarder): Promise<void> {
  const event = forwarder.last();
  if (event === null) return note('No event has come yet.');
  const failure = forwarder.lastFailure();
  const answer = failure === null || failure.response === '' ? [] : [`${failure.reason}:`, failure.response];
  const text = [JSON.stringify(event, null, 2), ...answer].join('\n');
  await host.stderr.write(`${sanitized(output.showPii ? text : withPhonesMasked(text))}\n`);
}
