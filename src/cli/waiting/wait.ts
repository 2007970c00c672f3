import type { Context } from '../context.ts';
import type { FailureDetails } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { type Remarks, remarksFor } from '../kit/polling/hints.ts';

/** What is waited for, and how that is told meanwhile. */
export interface Awaited<T> {
  first: T;
  looks(remarks: Remarks): AsyncIterable<T>;
  /** How it stands, beside the spinner. */
  text(seen: T): string;
  /** Whether this is the end; rejects where it is a bad one. */
  isSettled(seen: T): boolean | Promise<boolean>;
}

/** How it stood at last: where it is not settled, time ran out. */
export interface Waited<T> {
  last: T;
  isSettled: boolean;
  remarks: Remarks;
}

/** Looks until it is settled, or the looks end. */
export async function awaited<T>(context: Context, wait: Awaited<T>): Promise<Waited<T>> {
  let last = wait.first;
  const { remarks, ...progress } = await remarkedProgress(context, () => wait.text(last));
  try {
    for await (const seen of wait.looks(remarks)) {
      last = seen;
      progress.say(wait.text(seen));
      if (await wait.isSettled(seen)) return { last, isSettled: true, remarks };
    }
    return { last, isSettled: false, remarks };
  } finally {
    progress.stop();
  }
}

/** A progress that makes room for remarks: a line is written where no spinner is. */
export async function remarkedProgress(context: Context, text: () => string) {
  let progress = await context.progress(text());
  const note = async (line: Text) => {
    progress.stop();
    context.note(line);
    progress = await context.progress(text());
  };
  return {
    remarks: remarksFor(context, { note, isEndless: false }),
    say: (line: string) => progress.say(line),
    stop: () => progress.stop(),
  };
}

/** For the error when time ran out: what was remarked on the way, and the commands that wait on. */
export function goingOn(remarks: Remarks, commands: readonly Invocation[]): FailureDetails {
  const { next, ...hint } = remarks.details();
  return { ...hint, next: [...next, ...commands.map((line) => ({ ...line, when: 'go on waiting' }))] };
}
