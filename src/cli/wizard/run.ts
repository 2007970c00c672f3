import { ApiError } from '../../client/errors.ts';
import { correctable, type Fault } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import type { Prompts } from '../kit/prompts/prompts.ts';
import { WentBack } from '../kit/prompts/prompts.ts';
import { phoneShown } from '../output/phones.ts';
import type { Result } from '../result.ts';
import { shownAnswers } from './fields.ts';
import { type Answers, keyOf, type Move, type Plan } from './plan.ts';
import type { Transcript } from './transcript.ts';

/** What the steps work with. */
export interface Run {
  context: Context;
  prompts: Prompts;
  transcript: Transcript;
  /** As it is by now. */
  readonly plan: Plan;
  /** From now on the plan is this; it is written before anything else happens. */
  keep(plan: Plan): void;
  /** Says which step it is. */
  head(line: string): void;
  /** Says what was done, which stays on the screen. */
  say(line: Text): void;
  /** Says what belongs to the next question. */
  show(line: string): void;
  /** A line of a script, which is never broken. */
  quote(line: string): void;
  /** Tells the command that does what was just said. */
  tell(line: Invocation): void;
}

/** Where a step leads: to another, or to the end with an answer, which may be waited for once nothing is asked any more. */
export type Turn = Move | End;
type End = { result: Result } | { awaited: () => Promise<Result> };

export function isEnd(turn: Turn): turn is End {
  return typeof turn === 'object';
}

export async function endOf(end: End): Promise<Result> {
  return 'result' in end ? end.result : end.awaited();
}

/** What a person can take instead of going on. */
export const leave = { name: 'Leave it for later', value: 'leave' } as const;

/** The person leaves; what there is stays and can be taken up again. */
export class Left extends Error {
  override name = 'Left';
}

/** The idempotency key of a write of the plan. */
export function writeKey({ plan }: Pick<Run, 'plan'>, part: string): string {
  return keyOf(plan, part);
}

/** The answers as the person is shown them, where they are not asked for. */
export function shownIn({ plan, context: { output } }: Run, answers: Answers): Answers {
  return shownAnswers(answers, plan.numbers, phoneShown(output));
}

/** The answer to a question, or null where the person went back from it. */
export async function unlessBack<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return null;
    throw error;
  }
}

/** The faults of a refusal that whoever sent it can correct; null where it is anything else. */
export function faultsIn(error: unknown): readonly Fault[] | null {
  if (!(error instanceof ApiError)) return null;
  // Of all that an order names only its saved place can be missing.
  if (error.code === 'record_not_found') return [{ path: 'pickup_store_id', message: error.message }];
  if (!correctable.some((code) => code === error.code)) return null;
  return error.details.length > 0 ? error.details : [{ path: '', message: error.message }];
}

/** Whether the service refused what was sent, which then is not done; of any other error nobody knows. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.code !== 'idempotency_key_in_use';
}

/** Whether the service refused with one of the codes. */
export function refusedWith(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof ApiError && codes.includes(error.code);
}
