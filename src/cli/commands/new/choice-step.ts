import type { RouteQuote, RouteQuotes } from '../../../contract/quotes.ts';
import { isExpired } from '../../../domain/quotes.ts';
import { quoteChoices, serviceClock } from '../../flow/choose-quote.ts';
import type { Choice } from '../../kit/host/prompts.ts';
import type { Timing } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/message.ts';
import { comparable, getQuotes, routeFacts, usableQuotes } from '../quotes/quotes.ts';
import { withoutQuotes } from './plan.ts';
import { leave, Quit, type Run, type Turn, unlessBack } from './run.ts';

type Action = { quote: RouteQuote } | 'ask' | 'leave';

/** Asks the user to choose a quote. Expired quotes cannot be chosen: all are requested again. */
export async function choiceStep(run: Run): Promise<Turn> {
  const { context, plan } = run;
  const route_id = plan.route?.id ?? null;
  if (route_id === null) return 'route';
  if (plan.dispatch !== null) {
    run.say('It is not known yet whether the route was dispatched. Repeating the same request.');
    return 'dispatch';
  }
  const quotes = await getQuotes(context, route_id);
  const now = await serviceClock(context);
  if (usableQuotes(quotes, now()).length === 0) return 'quotes';
  const { zone } = await routeFacts(context, route_id);
  const current = () => choicesOf(quotes, { now: now(), times: context.output.times, zone });
  const choices = current();
  const initial = proposedOf(choices, plan.quote_id);
  const action = await unlessBack(() =>
    run.prompts.select('Choose a quote (cost + fee)', choices, {
      initial,
      current,
      back: true,
    }),
  );
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'ask') return askAgain(run, 'Requesting new quotes.');
  if (isExpired(comparable(action.quote), now())) return askForExpired(run, action.quote);
  run.keep({ ...run.plan, quote_id: action.quote.id });
  run.say(`Chose ${action.quote.provider}. List all quotes with:`);
  run.tell(invocation('quotes list', [route_id]));
  return 'next';
}

/**
 * The preselected quote: the one chosen before, or else the cheapest. If it has expired, requesting new quotes, as the
 * next one may cost far more.
 */
function proposedOf(choices: readonly Choice<Action>[], quote_id: string | null): Action | undefined {
  const before = choices.find(({ value }) => isQuote(value) && value.quote.id === quote_id);
  if (before !== undefined && before.disabled === undefined) return before.value;
  return choices[0]?.disabled === undefined ? undefined : 'ask';
}

function isQuote(action: Action): action is { quote: RouteQuote } {
  return typeof action === 'object';
}

function choicesOf(quotes: RouteQuotes, timing: Timing): Choice<Action>[] {
  return [
    ...quoteChoices(quotes, timing).map((choice) => ({ ...choice, value: { quote: choice.value } })),
    { name: 'Request new quotes', value: 'ask' },
    leave,
  ];
}

/** Requests quotes again; those of the old round can no longer be taken. */
function askAgain(run: Run, why: string): Turn {
  run.say(why);
  run.keep(withoutQuotes(run.plan));
  return 'quotes';
}

export function askForExpired(run: Run, { provider }: RouteQuote): Turn {
  return askAgain(run, `The quote from ${provider} has expired. Requesting new ones.`);
}
