import type { Resent } from '../../../contract/events.ts';
import { reportOf } from '../../errors/error-report.ts';
import { type ExitCode, Failure } from '../../kit/errors/failure.ts';
import { plainText, type Text } from '../../kit/result/message.ts';
import { type ListResult, list } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { partlyDone } from '../orders/order-refusals.ts';
import { sendersNotes } from '../webhooks/senders.ts';
import { oldestFirst } from './event-order.ts';
import {
  disabled,
  dryRunOfAll,
  noSubscriber,
  noSubscriberText,
  resend,
  resentColumns,
} from './resend-event.ts';

/** An event that was not resent, and why. */
interface Refused {
  event_id: string;
  exit: ExitCode;
  code: string;
  message: Text;
}

/** The progress of a bulk resend. */
interface Tally {
  count: number;
  went: number;
  refused: Refused[];
  /** The error that ended the bulk, and its event. */
  stopped: { error: unknown; event_id: string } | null;
}

/**
 * Resends many events in sequence, oldest first. A refused event does not stop the others: exit 10 if some were
 * refused; if all were refused for the same reason, the exit code of that reason. An error that would affect every
 * event ends the bulk.
 */
export async function resendAll(
  context: Context,
  given: readonly string[],
  endpoint: string | undefined,
): Promise<ListResult> {
  const ids = await oldestFirst(context, given);
  if (context.globals.dryRun && ids.length > 0) throw await dryRunOfAll(context, ids, endpoint);
  if (endpoint !== undefined && ids.length > 0) await checkEndpoint(context, endpoint);
  const tally: Tally = { count: ids.length, went: 0, refused: [], stopped: null };
  return list({
    data: resentOf(context, ids, endpoint, tally),
    columns: resentColumns,
    empty: ids.length === 0 ? 'No event IDs given: nothing was resent.' : 'Nothing was resent.',
    notes: () => notesOf(context, tally),
    exit: () => {
      const failure = failureOf(tally);
      if (failure !== null) throw failure;
      return 0;
    },
  });
}

/** With JSON the error is the only output on stderr. */
function notesOf(context: Context, tally: Tally): Text[] {
  const isAlone = context.output.json && failureOf(tally) !== null;
  return isAlone || tally.went === 0 ? [] : [wentText(tally), ...sendersNotes(context)];
}

/** Checks the endpoint once, instead of failing for each event if it is missing or disabled. */
async function checkEndpoint(context: Context, endpoint: string): Promise<void> {
  const client = await context.client();
  const { data } = await client.webhooks.get({ params: { webhook_endpoint_id: endpoint } });
  const { status, disabled_reason } = data;
  if (status === 'disabled')
    throw disabled(endpoint, `The webhook endpoint ${endpoint} is disabled: ${disabled_reason}.`);
}

async function* resentOf(
  context: Context,
  ids: readonly string[],
  endpoint: string | undefined,
  tally: Tally,
): AsyncGenerator<Resent> {
  for (const event_id of ids) {
    try {
      const resent = await resend(context, event_id, endpoint, event_id);
      if (resent.webhook_endpoint_ids.length > 0) {
        tally.went += 1;
        context.setInterruptionText(`${wentText(tally)} The last of them is ${event_id}.`);
        yield resent;
      } else
        tally.refused.push({
          event_id,
          exit: 9,
          code: noSubscriber.code,
          message: noSubscriberText(event_id),
        });
    } catch (error) {
      const refused = refusedAs(error, event_id);
      if (refused === null) {
        tally.stopped = { error, event_id };
        return;
      }
      tally.refused.push(refused);
    }
  }
}

/** The refusal of this event alone; null if the error would affect every event. */
function refusedAs(error: unknown, event_id: string): Refused | null {
  const { exit, code, message } = reportOf(error);
  if (exit !== 2 && exit !== 5 && exit !== 6) return null;
  return { event_id, exit, code, message };
}

function wentText({ went, count }: Tally): string {
  return `${went} of ${count} ${count === 1 ? 'event' : 'events'} ${went === 1 ? 'is' : 'are'} on the way again.`;
}

function failureOf({ stopped, ...tally }: Tally): unknown {
  const { refused, went, count } = tally;
  if (stopped !== null) {
    if (went === 0 && refused.length === 0) return stopped.error;
    const hint = `It stopped at ${stopped.event_id}: that one and what is newer are left.`;
    return partlyDone(stopped.error, wentText({ ...tally, stopped }), { hint });
  }
  const [first] = refused;
  if (first === undefined) return null;
  const isSame = refused.every(({ code }) => code === first.code);
  const exit = went === 0 && refused.every((each) => each.exit === first.exit) ? first.exit : 10;
  const few = `${refused.length} of ${count} ${count === 1 ? 'event was' : 'events were'} not sent again.`;
  return new Failure(exit, isSame ? first.code : 'some_not_resent', few, {
    ...(isSame && first.code === noSubscriber.code
      ? { hint: noSubscriber.hint, next: noSubscriber.next }
      : {}),
    faults: refused.map(({ event_id, message }) => ({
      path: event_id,
      message: plainText(message),
      flag: null,
    })),
  });
}
