import { ApiError, Unreachable } from '../../../client/errors.ts';
import type { Context } from '../../context.ts';
import { bellOf, type Told } from '../../waiting/event-notifications.ts';
import { waitsFor } from '../../waiting/poll-clocks.ts';
import type { Text } from '../output/message.ts';
import { outOfReach, type Remark, type Remarks, stillClock } from './hints.ts';
import { type Patience, repeatedly, silence } from './poll.ts';

/** Something at the service that changes by itself. */
export interface Subject<T> {
  first: T;
  test_mode: boolean;
  look(): Promise<T>;
  /** The events that are told of it; null: none are. */
  told: Told | null;
  /** What is true of it, and how to see it: said on an interruption. */
  standing(seen: T): Text;
  /** Whether nothing happened between two looks. */
  isSame(before: T, after: T): boolean;
  /** Why waiting alone changes nothing; null where it does. */
  idle(seen: T): Remark | null;
}

/** How something is followed. */
export interface Following {
  /** Without it, for as long as the caller looks. */
  timeout_ms: number | undefined;
  /** Between two looks; without it, as the interface recommends. */
  interval_ms: number | undefined;
  remarks: Remarks;
}

/**
 * Something as each look finds it, until the caller stops or the time has run out. A look comes when an event tells of
 * it, and on the embedded service when something is due, as its clock may go fast. Where nothing moves, as it waits for
 * somebody or as the clock of a sandbox stands still, that is said once. A service that goes away is looked for as
 * long: rejects only where it is away at the end.
 */
export async function* looksOf<T extends object>(
  context: Context,
  subject: Subject<T>,
  { timeout_ms = Number.POSITIVE_INFINITY, interval_ms, remarks }: Following,
): AsyncGenerator<T> {
  const { first, test_mode } = subject;
  const say = onceEach(remarks);
  const patience: Patience = { timeout_ms, interval_ms, waitFirst: true };
  let last = first;
  let outage: Error | null = null;
  let isAsked = false;
  context.standing(subject.standing(first));
  yield first;
  await say(subject.idle(first));
  const look = () => lookAt(subject);
  const bell = subject.told === null ? silence : bellOf(context, subject.told);
  for await (const seen of repeatedly(look, waitsFor(context, test_mode), patience, bell)) {
    outage = seen instanceof Error ? seen : null;
    if (seen instanceof Error) {
      await say(outOfReach(seen));
      continue;
    }
    if (!isAsked && subject.isSame(last, seen) && subject.idle(seen) === null) {
      isAsked = true;
      if (test_mode) await say(await stillClock(context));
    }
    last = seen;
    context.standing(subject.standing(seen));
    yield seen;
  }
  if (outage !== null) throw outage;
}

function onceEach(remarks: Remarks): (remark: Remark | null) => Promise<void> {
  const said = new Set<string>();
  return async (remark) => {
    if (remark === null || said.has(remark.code)) return;
    said.add(remark.code);
    await remarks.say(remark);
  };
}

/** What is seen, or the error where the service is away: what may pass is no reason to give up. */
async function lookAt<T>({ look }: Subject<T>): Promise<T | Error> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Unreachable) return error;
    if (error instanceof ApiError && awayStatuses.has(error.status)) return error;
    throw error;
  }
}

/** What stands in front of a service says so while it is away. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);
