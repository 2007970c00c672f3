import { ApiError } from '../../../client/errors.ts';
import type { Resent } from '../../../contract/events.ts';
import { BadOutcome, DryRun, Failure, UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, type Result, record } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { defined } from '../orders/order-flags.ts';
import { sendersNotes } from '../webhooks/senders.ts';

/** Columns of resent events. */
export const resentColumns: readonly Column<Resent>[] = [
  { field: 'event_id', header: 'Event', kind: 'id', value: ({ event_id }) => event_id },
  {
    field: 'webhook_endpoint_ids',
    header: 'To',
    kind: 'text',
    value: (resent) => resent.webhook_endpoint_ids,
  },
];

/** The endpoint to resend to; undefined: all that are subscribed to the event's type. */
type Endpoint = string | undefined;

/** Reads the IDs from the arguments, or from stdin for `-`; removes duplicates and keeps the order. */
export async function eventIdsOf(context: Context, words: readonly string[]): Promise<string[]> {
  if (!words.includes('-')) return [...new Set(words)];
  if (words.length > 1) throw new UsageError('Give the ids of events, or - to read them from stdin.');
  const lines = (await context.readFile('-')).split('\n').map((line) => line.trim());
  const odd = lines.findIndex((line) => /\s/.test(line));
  if (odd !== -1) {
    throw new UsageError(`Line ${odd + 1} of stdin is not an ID: "${lines[odd]}".`, {
      hint: 'One id stands on each line, as -o id writes them.',
    });
  }
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Resends one event; exit 9 if no endpoint is subscribed to its type. */
export async function resendOne(context: Context, event_id: string, endpoint: Endpoint): Promise<Result> {
  const resent = await resend(context, event_id, endpoint);
  if (resent.webhook_endpoint_ids.length === 0) {
    const answer = context.output.json ? { answer: record(resent, resentColumns) } : {};
    throw new BadOutcome(noSubscriberText(event_id), { ...noSubscriber, ...answer });
  }
  const way = `${event_id} is on its way to ${resent.webhook_endpoint_ids.join(', ')}.`;
  return record(resent, resentColumns, { notes: [way, ...sendersNotes(context)] });
}

/** Explains that an ID of another record does not identify an event. */
function noEvent(word: string, cause: ApiError): Failure {
  return new Failure(
    5,
    'record_not_found',
    `There is no event "${word}": the id of an event begins with evt_.`,
    {
      next: [{ ...invocation('events list', [], { delivery: word }), when: 'those of a delivery' }],
      cause,
    },
  );
}

/** Sends one request; each request of a bulk has its own idempotency key. */
export async function resend(
  context: Context,
  event_id: string,
  endpoint: Endpoint,
  part?: string,
): Promise<Resent> {
  const client = await context.client();
  const input = { params: { event_id }, body: defined({ webhook_endpoint_id: endpoint }) };
  const idempotencyKey = context.idempotencyKey(part);
  try {
    return (await client.events.resend({ ...input, idempotencyKey })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found' && !event_id.startsWith('evt_'))
      throw noEvent(event_id, error);
    const isOff = error instanceof ApiError && error.code === 'webhook_endpoint_disabled';
    throw isOff && endpoint !== undefined ? disabled(endpoint, error.message, error) : error;
  }
}

/** Exit 6: the given endpoint is disabled. */
export function disabled(endpoint: string, message: string, cause?: ApiError): Failure {
  const command = invocation('webhooks update', [endpoint], { enable: true });
  return new Failure(6, 'webhook_endpoint_disabled', message, {
    hint: phrase`Enable it first: \`${command}\`.`,
    next: [{ ...command, when: 'Enable it first' }],
    cause,
  });
}

export function noSubscriberText(event_id: string): string {
  return `${event_id} was not sent: no webhook endpoint that is enabled asks for its type.`;
}

/** The hint if no endpoint is subscribed to an event. */
export const noSubscriber = {
  code: 'no_webhook_endpoint',
  hint: '--endpoint sends it to one that does not ask for its type.',
  next: [{ ...invocation('webhooks list'), when: 'see who asks for what' }],
};

/** Prints all requests that would be sent as one result. */
export async function dryRunOfAll(
  context: Context,
  ids: readonly string[],
  endpoint: Endpoint,
): Promise<DryRun> {
  const dry: DryRun[] = [];
  for (const event_id of ids) {
    await resend(context, event_id, endpoint, event_id).catch((error: unknown) => {
      if (!(error instanceof DryRun)) throw error;
      dry.push(error);
    });
  }
  const { allOf } = await import('../orders/order-sending.ts');
  return allOf(dry);
}
