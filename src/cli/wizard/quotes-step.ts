import type { RouteQuotes } from '../../contract/quotes.ts';
import { isExpired } from '../../domain/quotes.ts';
import { StillPending } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { plainText } from '../kit/output/message.ts';
import type { Choice } from '../kit/prompts/prompts.ts';
import { comparable, completeQuotes, lookAtQuotes, noQuotes } from '../quotes/quotes.ts';
import { withoutQuotes } from './plan.ts';
import { Left, leave, type Run, type Turn, unlessBack, writeKey } from './run.ts';
import { standingText } from './status-text.ts';

/** How long the couriers are left alone where none took it. */
const pause_ms = 60_000;

/** Quotes that can be taken: those there are, or fresh ones. */
export async function quotesStep(run: Run): Promise<Turn> {
  const route_id = run.plan.route?.id ?? null;
  if (route_id === null) return 'route';
  try {
    const quotes = await collected(run, route_id);
    if (quotes.data?.length === 0) return await whereNone(run, route_id, quotes);
    if (isUsable(quotes, run.context.serviceNow())) return 'next';
    run.show('All quotes have expired. Requesting new ones.');
    run.keep(withoutQuotes(run.plan));
    return 'again';
  } catch (error) {
    if (error instanceof StillPending) return whereSlow(run);
    throw error;
  }
}

/** Whether there is one that can be taken. */
export function isUsable({ data }: RouteQuotes, now: number): boolean {
  return data?.some((quote) => !isExpired(comparable(quote), now)) ?? false;
}

/** The quotes of the round of the plan, or of one that begins now. */
async function collected(run: Run, route_id: string): Promise<RouteQuotes> {
  const { context } = run;
  if (run.plan.round?.isAsked) {
    const quotes = await lookAtQuotes(context, route_id);
    if (quotes.status === 'COMPLETE') return quotes;
  } else await ask(run, route_id);
  const standing = standingText(run.plan, ' Quotes were requested.');
  const patience = { timeout_ms: undefined, waitFirst: true, standing };
  const quotes = await completeQuotes(context, route_id, patience);
  context.standing(() => standingText(run.plan));
  return quotes;
}

async function ask(run: Run, route_id: string): Promise<void> {
  const number = run.plan.round?.number ?? run.plan.count + 1;
  run.keep({ ...run.plan, count: Math.max(run.plan.count, number), round: { number, isAsked: false } });
  const client = await run.context.client();
  const idempotencyKey = writeKey(run, `quotes-${number}`);
  await client.quotes.request({ params: { route_id }, idempotencyKey });
  run.keep({ ...run.plan, round: { number, isAsked: true } });
  run.say('Requesting quotes... Equivalent command:');
  run.tell(invocation('routes quote', [route_id], { watch: true }));
}

type Action = 'wait' | 'ask' | 'orders' | 'leave' | 'undo';

const toChange: Choice<Action> = { name: 'Change the orders', value: 'orders' };
const toStop: Choice<Action> = {
  name: 'Stop: delete the route and cancel the orders created here',
  value: 'undo',
};

/** Nobody takes the route: to wait, to change something, or to stop. */
async function whereNone(run: Run, route_id: string, quotes: RouteQuotes): Promise<Turn> {
  const { message, details } = noQuotes(route_id, quotes);
  run.show(message);
  for (const line of plainText(details.why ?? '')
    .split('\n')
    .filter(Boolean))
    run.show(`  ${line}`);
  const actions: Choice<Action>[] = [
    { name: 'Wait a minute and request again', value: 'wait' },
    { name: 'Request again now', value: 'ask' },
    ...[toChange, leave, toStop],
  ];
  return done(run, await asked(run, 'No quotes. What now?', actions));
}

/** They take longer than one waits for them. */
async function whereSlow(run: Run): Promise<Turn> {
  const actions: Choice<Action>[] = [{ name: 'Keep waiting', value: 'wait' }, toChange, leave, toStop];
  const action = await asked(run, 'Quotes are still pending. What now?', actions);
  return action === 'wait' ? 'again' : done(run, action);
}

function asked(run: Run, message: string, actions: readonly Choice<Action>[]): Promise<Action | null> {
  return unlessBack(() => run.prompts.select(message, actions, { back: true }));
}

async function done(run: Run, action: Action | null): Promise<Turn> {
  if (action === null) return 'back';
  if (action === 'leave') throw new Left();
  if (action === 'orders') return 'orders';
  if (action === 'undo') {
    const { undone } = await import('./rollback.ts');
    return { result: await undone(run) };
  }
  if (action === 'wait') await paused(run);
  run.keep(withoutQuotes(run.plan));
  return 'again';
}

async function paused({ context }: Run): Promise<void> {
  const progress = await context.progress('Waiting a minute');
  await context.sleep(pause_ms).finally(() => progress.stop());
}
