/** A run of the wizard: what its steps are given, how they lead to each other, and what it says when it is left. */
import { stateText as unfinishedText } from '../../flow/unfinished.ts';
import { type Prompts, WentBack } from '../../kit/host/host.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { Result } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { type Draft, emptyDraft, isResumable, type Move, orderIds, type Plan } from './plan.ts';

/** The state and tools of the steps. */
export interface Run {
  context: Context;
  prompts: Prompts;
  /** The current plan. */
  readonly plan: Plan;
  /** Whether the plan is saved, so that it can be resumed. */
  isSaved: boolean;
  /** Whether this run has deleted a route or canceled orders again. */
  hasUndone: boolean;
  /** Replaces the plan and writes it to its file before anything else happens. */
  savePlan(plan: Plan): void;
  print(line: Text): void;
  /** Prints a line of a script, which is never wrapped. */
  printScriptLine(line: string): void;
  /** Prints a command that is equivalent to what was just printed. */
  printCommand(line: Invocation): void;
}

/** The order that is being entered, or an empty one. */
export function draftOf({ plan }: Run): Draft {
  return plan.draft ?? emptyDraft;
}

export function saveDraft(run: Run, changes: Partial<Draft>): void {
  run.savePlan({ ...run.plan, draft: { ...draftOf(run), ...changes } });
}

/** Where a step leads: to another step, or to the end, which gives the result of the command. */
export type StepResult = Move | { end: () => Result | Promise<Result> };

/** The choice to quit. */
export const leaveChoice = { name: 'Leave it for later', value: 'leave' } as const;

/** The user quits; what was created stays and can be resumed. */
export class Quit extends Error {
  override name = 'Quit';
}

/** The answer to a question; null if the user went back. */
export async function nullIfBack<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return null;
    throw error;
  }
}

/** Which records the service has already, and how to continue if the plan is saved. */
export function continueText(
  { plan, isSaved, hasUndone }: Pick<Run, 'plan' | 'isSaved' | 'hasUndone'>,
  doing = '',
): Text {
  if (!isResumable(plan))
    return hasUndone ? 'What was created was undone.' : 'Nothing was changed at the service.';
  if (!isSaved)
    return `${progressText({ ...plan, draft: null }, doing)} It was not saved: it cannot be resumed.`;
  return phrase`${progressText(plan, doing)} Continue with: \`${invocation('new', [], { resume: true })}\`.`;
}

/** Which records the service has already, and whether input was saved. */
export function progressText(plan: Plan, doing = ''): string {
  const { orders, route, dispatch, draft } = plan;
  const pending = [
    ...(orders.some(({ id }) => id === null) ? (['order'] as const) : []),
    ...(route !== null && route.id === null ? (['route'] as const) : []),
    ...(dispatch === null ? [] : (['dispatch'] as const)),
  ];
  // A request that may not be repeated is forgotten.
  const records = { order_ids: orderIds(plan), route_id: route?.id ?? null, isRepeatable: true };
  const text = unfinishedText({ ...records, pending }, doing);
  return draft === null ? text : `${text} Your input was saved.`;
}
