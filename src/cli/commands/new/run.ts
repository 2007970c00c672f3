import { ApiError } from '../../../client/errors.ts';
import { correctable, type Fault } from '../../../contract/errors.ts';
import { type Prompts, WentBack } from '../../kit/host/host.ts';
import { phoneShown } from '../../kit/output/contacts.ts';
import type { Invocation, Text } from '../../kit/result/message.ts';
import type { Result } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { type Answers, type Move, type Plan, shownAnswers } from './fields.ts';

/** The state and tools of the steps. */
export interface Run {
  context: Context;
  prompts: Prompts;
  /** The current plan. */
  readonly plan: Plan;
  /** Whether the plan is saved, so that it can be resumed. */
  isSaved: boolean;
  /** Replaces the plan and writes it to its file before anything else happens. */
  keep(plan: Plan): void;
  say(line: Text): void;
  /** Prints a line of a script, which is never wrapped. */
  quote(line: string): void;
  /** Prints a command that is equivalent to what was just printed. */
  tell(line: Invocation): void;
}

/** Where a step leads: to another step, or to the end, which gives the result of the command. */
export type Turn = Move | { end: () => Result | Promise<Result> };

/** The choice to quit. */
export const leave = { name: 'Leave it for later', value: 'leave' } as const;

/** The user quits; what was created stays and can be resumed. */
export class Quit extends Error {
  override name = 'Quit';
}

/** The answers as displayed outside of their questions. */
export function shownIn({ plan, context: { output } }: Run, answers: Answers): Answers {
  return shownAnswers(answers, plan.numbers, phoneShown(output));
}

/** The answer to a question; null if the user went back. */
export async function unlessBack<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return null;
    throw error;
  }
}

/** The faults of a refusal that the user can correct; null for any other error. */
export function faultsIn(error: unknown): readonly Fault[] | null {
  if (!(error instanceof ApiError)) return null;
  // Of the records that an order refers to, only its saved place can be missing.
  if (error.code === 'record_not_found') return [{ path: 'pickup_store_id', message: error.message }];
  if (!correctable.some((code) => code === error.code)) return null;
  return error.details.length > 0 ? error.details : [{ path: '', message: error.message }];
}
