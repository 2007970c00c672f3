/** The loop of the wizard: it starts or resumes a plan, runs one step after another, and follows where each leads. */
import { createErrorReport } from '../../errors/error-report.ts';
import { checkKeyLength } from '../../flow/deliver.ts';
import { outcomeAnswer } from '../../flow/dispatch-outcome.ts';
import { Declined, DryRun, Failure } from '../../kit/errors/failure.ts';
import { isRedrawn } from '../../kit/output/progress.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { Result } from '../../kit/result/result.ts';
import type { FileLock } from '../../kit/system/file-lock.ts';
import { fetchRoute } from '../../nouns/route.ts';
import type { Context } from '../../session/command.ts';
import {
  forgetUnrepeatable,
  handleTakenRoute,
  reconcile,
  resolveConflict,
  rollBack,
  takenOutcome,
} from './orders-and-route.ts';
import { ordersStep } from './orders-step.ts';
import { isResumable, type Move, newPlan, type Plan, type Step, steps } from './plan.ts';
import { lockPlan, planFile, readPlan, removePlan, writePlan } from './plan-file.ts';
import { choiceStep, dispatchStep, quotesStep, routeStep } from './route-steps.ts';
import { continueText, nullIfBack, progressText, Quit, type Run, type StepResult } from './run.ts';
import { scriptPath } from './script.ts';

interface WizardOptions {
  /** Resumes the unfinished delivery. */
  resume: boolean;
  /** The file for the script; an unfinished delivery has its own. */
  emitScript: string | undefined;
}

/** Asks for the five steps of the manual flow in turn. Returns the result of `dispatch`. */
export async function wizard(context: Context, { resume, emitScript }: WizardOptions): Promise<Result> {
  checkKeyLength(context);
  const script = scriptPath(context, emitScript);
  await context.mode();
  const file = planFile(context.host, context.settings);
  const lock = context.globals.dryRun ? null : takeLockUnless(resume, file);
  const isOpen = lock !== null || context.globals.dryRun;
  try {
    const left = isOpen ? readPlan(file) : null;
    if (resume && left === null) throw nothingToResume(context);
    const plan = left ?? newPlan(context.idempotencyKey('new'), script);
    const run = await newRun(context, plan, { file: lock === null ? null : file, isSaved: isOpen });
    context.setInterruptionText(() => continueText(run));
    if (left === null) run.print(welcome(run));
    const earlier = left === null ? null : await resumePlan(run, resume, script);
    const result = earlier ?? (await runSteps(run));
    run.savePlan(newPlan(run.plan.key));
    return result;
  } finally {
    lock?.release();
  }
}

/** Null if another wizard is running: this one is not saved. Throws `wizard_running` instead if it is to resume. */
function takeLockUnless(resume: boolean, file: string): FileLock | null {
  try {
    return lockPlan(file);
  } catch (error) {
    if (!resume && error instanceof Failure && error.code === 'wizard_running') return null;
    throw error;
  }
}

/** The plan is written to the file at each change: to none beside another wizard, and in a dry run. */
async function newRun(
  context: Context,
  initial: Plan,
  { file, isSaved }: { file: string | null; isSaved: boolean },
): Promise<Run> {
  let plan = initial;
  return {
    context,
    prompts: await context.prompts(),
    isSaved,
    hasUndone: false,
    get plan() {
      return plan;
    },
    savePlan: (next) => {
      plan = next;
      if (file === null) return;
      if (isResumable(next)) writePlan(file, next);
      else removePlan(file);
    },
    print: (line) => context.note(line),
    printScriptLine: (line) => context.note(line, { isWhole: true }),
    printCommand: (line) => context.note(phrase`  $ ${line}`),
  };
}

function welcome({ isSaved, context: { host, output } }: Run): Text {
  const back = isRedrawn(host, output) ? 'Esc: back.' : '<: back.';
  if (!isSaved)
    return `Create a delivery in five steps. ${back} Another \`waybill new\` is running in this profile: only that one can be resumed.`;
  return phrase`Create a delivery in five steps. ${back} Ctrl+C: quit (\`${invocation('new', [], { resume: true })}\` continues).`;
}

function nothingToResume({ settings }: Context): Failure {
  return new Failure(5, 'nothing_to_resume', `No unfinished delivery in profile ${settings.name}.`, {
    next: [{ ...invocation('new'), when: 'start one' }],
  });
}

/** Resumes the saved plan, or starts over. Returns a result if the route was dispatched in the meantime. */
async function resumePlan(run: Run, resume: boolean, script: string | null): Promise<Result | null> {
  run.print(`Found an unfinished delivery at step ${steps.indexOf(run.plan.step) + 1}: ${run.plan.step}.`);
  const taken = resume ? null : await handleDispatchedMeanwhile(run);
  if (taken !== null) {
    if (typeof taken === 'object') return taken.end();
    run.savePlan({ ...run.plan, step: stepAfter(run.plan.step, taken), script: script ?? run.plan.script });
    return null;
  }
  const action = resume ? 'continue' : await askHowToResume(run);
  if (action === 'undo') await rollBack(run);
  if (action !== 'continue') {
    run.savePlan(newPlan(run.context.idempotencyKey('new'), script));
    return null;
  }
  if (script !== null) run.savePlan({ ...run.plan, script });
  const route = await reconcile(run);
  // Sending the dispatch again tells whether it was done.
  if (route === null || run.plan.dispatch !== null) return null;
  return outcomeAnswer(run.context, await takenOutcome(run, route));
}

/** Once someone else has dispatched the route there is nothing to resume or to undo. */
async function handleDispatchedMeanwhile(run: Run): Promise<StepResult | null> {
  const { route, dispatch } = run.plan;
  if (route === null || route.id === null || dispatch !== null) return null;
  const now = await fetchRoute(run.context, route.id);
  return now === null || now.status === 'draft' ? null : handleTakenRoute(run, now);
}

async function askHowToResume({ prompts, plan }: Run): Promise<'continue' | 'new' | 'undo'> {
  return prompts.select(progressText(plan), [
    { name: 'Continue', value: 'continue' },
    { name: 'Start over (keep what was created)', value: 'new' },
    { name: 'Start over and undo what was created: the route, the orders', value: 'undo' },
  ] as const);
}

async function runSteps(run: Run): Promise<Result> {
  let shown: string | null = null;
  for (;;) {
    const { step } = run.plan;
    if (step !== shown) run.print(`Step ${steps.indexOf(step) + 1} of ${steps.length}: ${step}`);
    shown = step;
    run.context.setInterruptionText(() => continueText(run));
    const result = await runStep(run)
      .catch((error: unknown) => resolveConflict(run, error))
      .catch((error: unknown) => handleError(run, error));
    if (typeof result === 'object') return result.end();
    run.savePlan({ ...run.plan, step: stepAfter(step, result) });
  }
}

function runStep(run: Run): Promise<StepResult> {
  switch (run.plan.step) {
    case 'orders':
      return ordersStep(run);
    case 'route':
      return routeStep(run);
    case 'quotes':
      return quotesStep(run);
    case 'choice':
      return choiceStep(run);
    case 'dispatch':
      return dispatchStep(run);
  }
}

/** The previous step of each. Back from the choice is the route, as the quotes step needs no input. */
const previousStep = {
  orders: 'orders',
  route: 'orders',
  quotes: 'route',
  choice: 'route',
  dispatch: 'choice',
} as const satisfies Record<Step, Step>;

function stepAfter(step: Step, move: Move): Step {
  if (move === 'again') return step;
  if (move === 'back') return previousStep[step];
  if (move !== 'next') return move;
  return steps[Math.min(steps.indexOf(step) + 1, steps.length - 1)] ?? step;
}

/** The exit codes of errors that may pass: conflict, unreachable, timeout, rate limit. */
const passingExits: readonly number[] = [6, 7, 8, 11];

/** Shows an error that may pass, and lets the user try again. Any other error ends the command. */
async function handleError(run: Run, error: unknown): Promise<StepResult> {
  const { context, prompts } = run;
  if (error instanceof Quit) throw new Declined(continueText(run));
  if (error instanceof DryRun || context.signal.aborted) throw error;
  const { exit, message, hint, details } = createErrorReport(error);
  if (!passingExits.includes(exit)) throw error;
  context.warn(phrase`Error: ${message}`);
  for (const fault of details) context.warn(`  ${fault.path}: ${fault.message}`);
  if (hint !== null) context.note(hint);
  if (!context.has('idempotency')) forgetUnrepeatable(run);
  const actions = [
    { name: 'Try again', value: 'again' },
    { name: 'Leave it for later', value: 'leave' },
  ] as const;
  const action = await nullIfBack(() => prompts.select('What now?', actions, { back: true }));
  if (action === 'leave') throw new Declined(continueText(run));
  return action ?? 'back';
}
