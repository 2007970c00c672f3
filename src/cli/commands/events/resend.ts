/** `events resend`: to whom an event goes again, and what a refusal or an error means for the events after it. */
import { ApiError } from '../../../client/errors.ts';
import type { Resent } from '../../../contract/events.ts';
import { createErrorReport } from '../../errors/error-report.ts';
import { textFlag } from '../../kit/args/flags.ts';
import { BadOutcome, Failure, UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase, plainText } from '../../kit/result/message.ts';
import {
  type Column,
  exitUnless,
  type ListResult,
  listResult,
  type Result,
  recordResult,
} from '../../kit/result/result.ts';
import { leavesEventsWaiting, sendersNotes } from '../../nouns/event.ts';
import { dryRunOfAll, partlyDone } from '../../nouns/order-sending.ts';
import { type Context, defineCommand, positionals } from '../../session/command.ts';

export const resend = defineCommand({
  name: 'resend',
  aliases: ['replay', 'redeliver', 'retry'],
  summary: 'Resend events to webhook endpoints',
  description: [
    'Resends the same event with its original ID and sequence. Without --endpoint it goes to every enabled endpoint',
    'that subscribes to its type, a test event to the tested one; without one, nothing is sent and the exit code is 9.',
    'Several events are sent oldest first; one that cannot be sent does not stop the others, and the exit code is then 10.',
  ].join('\n'),
  positionals: {
    event: positionals('event', { summary: 'Event IDs; - reads them from stdin, one per line' }),
  },
  flags: {
    endpoint: textFlag({
      summary: 'Send to this endpoint only, regardless of its subscriptions',
      placeholder: 'ENDPOINT',
      aliases: ['webhook-endpoint-id'],
    }),
  },
  examples: [
    { command: 'waybill events resend EVENT', summary: 'Resend to every subscribed endpoint' },
    { command: 'waybill events resend EVENT --endpoint ENDPOINT', summary: 'Resend to one endpoint' },
    {
      command: 'waybill events list --delivery DELIVERY --all -o id | waybill events resend -',
      summary: 'Resend every event of a delivery',
    },
    {
      command:
        'waybill webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT',
      summary: 'Resend events whose retries are exhausted',
    },
  ],
  effect: 'write',
  calls: ['events.resend', 'webhooks.get'],
  answers: ({ one, each, answerOf }) => [
    one('events.resend', 'of one event'),
    each(answerOf('events.resend'), 'of several'),
  ],
  exits: { 9: 'no endpoint subscribes to this event type', 10: 'some events were not sent' },
  errors: ['no_webhook_endpoint', 'some_not_resent'],
  related: ['events list', 'webhooks attempts'],
  async run(context, { flags: { endpoint }, positionals: { event: typed } }) {
    const ids = await readEventIds(context, typed);
    const [only] = ids;
    // A single ID that was read from stdin has a list as its result, as several have.
    if (typed.length === 1 && only !== undefined && only === typed[0])
      return resendOne(context, only, endpoint);
    return resendAll(context, ids, endpoint);
  },
});

const resentColumns: readonly Column<Resent>[] = [
  { field: 'event_id', header: 'Event', kind: 'id' },
  { field: 'webhook_endpoint_ids', header: 'To', kind: 'text' },
];

/** The endpoint to resend to; undefined: all that are subscribed to the event's type. */
type Endpoint = string | undefined;

/** Reads the IDs from the arguments, or from stdin for `-`; removes duplicates and keeps the order. */
async function readEventIds(context: Context, typed: readonly string[]): Promise<string[]> {
  if (!typed.includes('-')) return [...new Set(typed)];
  if (typed.length > 1) throw new UsageError('Give the ids of events, or - to read them from stdin.');
  const lines = (await context.readFile('-')).split('\n').map((line) => line.trim());
  const invalid = lines.findIndex((line) => /\s/.test(line));
  if (invalid !== -1) {
    throw new UsageError(`Line ${invalid + 1} of stdin is not an ID: "${lines[invalid]}".`, {
      hint: 'One id stands on each line, as -o id writes them.',
    });
  }
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Resends one event; exit 9 if no endpoint is subscribed to its type. */
async function resendOne(context: Context, event_id: string, endpoint: Endpoint): Promise<Result> {
  const resent = await requestResend(context, event_id, endpoint);
  if (resent.webhook_endpoint_ids.length === 0) {
    const answer = context.output.json ? { answer: recordResult(resent, resentColumns) } : {};
    throw new BadOutcome(noSubscriberText(event_id), { ...noSubscriber, ...answer });
  }
  const state = leavesEventsWaiting(context) ? 'waits to be sent' : 'is on its way';
  const way = `${event_id} ${state} to ${resent.webhook_endpoint_ids.join(', ')}.`;
  return recordResult(resent, resentColumns, { notes: [way, ...sendersNotes(context)] });
}

function noSubscriberText(event_id: string): string {
  return `${event_id} was not sent: no webhook endpoint that is enabled asks for its type.`;
}

function testedIsGoneText(event_id: string): string {
  return `${event_id} was not sent: it is a test of a webhook endpoint that is deleted.`;
}

const otherEndpoint = '--endpoint sends it to another one.';

/** The hint if no endpoint is subscribed to an event. */
const noSubscriber = {
  code: 'no_webhook_endpoint',
  hint: '--endpoint sends it to one that does not ask for its type.',
  next: [{ ...invocation('webhooks list'), when: 'see who asks for what' }],
};

/** Sends one request; each request of a bulk has its own idempotency key. */
async function requestResend(
  context: Context,
  event_id: string,
  endpoint: Endpoint,
  part?: string,
): Promise<Resent> {
  const client = await context.client();
  const body = endpoint === undefined ? {} : { webhook_endpoint_id: endpoint };
  const idempotencyKey = context.idempotencyKey(part);
  try {
    return (await client.events.resend({ params: { event_id }, body, idempotencyKey })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found' && !event_id.startsWith('evt_'))
      throw notAnEventId(event_id, error);
    if (error instanceof ApiError && error.details.some(({ path }) => path === 'webhook_endpoint_id'))
      throw new BadOutcome(testedIsGoneText(event_id), {
        ...noSubscriber,
        hint: otherEndpoint,
        cause: error,
      });
    const isOff = error instanceof ApiError && error.code === 'webhook_endpoint_disabled';
    throw isOff && endpoint !== undefined ? endpointDisabled(endpoint, error.message, error) : error;
  }
}

/** Explains that an ID of another record does not identify an event. */
function notAnEventId(word: string, cause: ApiError): Failure {
  const message = `There is no event "${word}": the id of an event begins with evt_.`;
  return new Failure(5, 'record_not_found', message, {
    next: [{ ...invocation('events list', [], { delivery: word }), when: 'those of a delivery' }],
    cause,
  });
}

/** Exit 6: the given endpoint is disabled. */
function endpointDisabled(endpoint: string, message: string, cause?: ApiError): Failure {
  const command = invocation('webhooks update', [endpoint], { enable: true });
  return new Failure(6, 'webhook_endpoint_disabled', message, {
    hint: phrase`Enable it first: \`${command}\`.`,
    next: [{ ...command, when: 'Enable it first' }],
    cause,
  });
}

/** The progress of resending several. */
interface BulkProgress {
  count: number;
  sent: number;
  refused: { path: string; message: string; flag: null }[];
  /** The error that ended it, and its event. */
  stopped: { error: unknown; event_id: string } | null;
}

/**
 * Resends events one after the other, oldest first, as their IDs sort by time. An event that is refused does not stop
 * the others; an error that each would have does.
 */
async function resendAll(
  context: Context,
  given: readonly string[],
  endpoint: Endpoint,
): Promise<ListResult> {
  // An ID begins with its millisecond in 14 characters; the events of one millisecond keep their order.
  const ids = given.toSorted((left, right) => left.slice(0, 14).localeCompare(right.slice(0, 14), 'en'));
  if (context.globals.dryRun && ids.length > 0)
    throw await dryRunOfAll(ids.map((id) => () => requestResend(context, id, endpoint, id)));
  if (endpoint !== undefined && ids.length > 0) await checkEndpoint(context, endpoint);
  const progress: BulkProgress = { count: ids.length, sent: 0, refused: [], stopped: null };
  return listResult({
    data: resendEach(context, ids, endpoint, progress),
    columns: resentColumns,
    empty: ids.length === 0 ? 'No event IDs given: nothing was resent.' : 'Nothing was resent.',
    notes: () =>
      progress.sent === 0 ? [] : [sentText(progress, leavesEventsWaiting(context)), ...sendersNotes(context)],
    exit: exitUnless(() => bulkFailure(progress)),
  });
}

/** Checks the endpoint once, as each event would fail if it is missing or disabled. */
async function checkEndpoint(context: Context, endpoint: string): Promise<void> {
  const client = await context.client();
  const { data } = await client.webhooks.get({ params: { webhook_endpoint_id: endpoint } });
  const { status, disabled_reason } = data;
  if (status === 'disabled')
    throw endpointDisabled(endpoint, `The webhook endpoint ${endpoint} is disabled: ${disabled_reason}.`);
}

/** Resends each event and notes the outcome in `progress`. */
async function* resendEach(
  context: Context,
  ids: readonly string[],
  endpoint: Endpoint,
  progress: BulkProgress,
): AsyncGenerator<Resent> {
  const refuse = (path: string, message: string) => progress.refused.push({ path, message, flag: null });
  for (const event_id of ids) {
    try {
      const resent = await requestResend(context, event_id, endpoint, event_id);
      if (resent.webhook_endpoint_ids.length === 0) {
        refuse(event_id, noSubscriberText(event_id));
        continue;
      }
      progress.sent += 1;
      context.setInterruptionText(`${sentText(progress)} The last of them is ${event_id}.`);
      yield resent;
    } catch (error) {
      const { code, message } = createErrorReport(error);
      if (code !== 'record_not_found' && code !== noSubscriber.code) {
        progress.stopped = { error, event_id };
        return;
      }
      refuse(event_id, plainText(message));
    }
  }
}

function sentText({ sent, count }: BulkProgress, isWaiting = false): string {
  const [one, several] = isWaiting ? ['waits to be', 'wait to be'] : ['is', 'are'];
  const state = `${sent === 1 ? one : several} ${isWaiting ? 'sent' : 'on the way'} again`;
  return `${sent} of ${count} ${count === 1 ? 'event' : 'events'} ${state}.`;
}

/** The error that a bulk resend ends with; null if every event was sent. */
function bulkFailure({ refused, sent, count, stopped }: BulkProgress): unknown {
  if (stopped !== null && sent === 0) return stopped.error;
  if (stopped !== null) {
    const hint = `It stopped at ${stopped.event_id}: that one and what is newer are left.`;
    return partlyDone(stopped.error, sentText({ refused, sent, count, stopped }), { hint });
  }
  if (refused.length === 0) return null;
  const summary = `${refused.length} of ${count} ${count === 1 ? 'event was' : 'events were'} not sent again.`;
  return new Failure(10, 'some_not_resent', summary, { faults: refused });
}
