import type { RouteQuotes } from '../../contract/quotes.ts';
import { isExpired } from '../../domain/quotes.ts';
import type { Context } from '../context.ts';
import type { Text } from '../kit/output/message.ts';
import { comparable, getQuotes } from '../quotes/quotes.ts';
import { completeQuotes } from '../quotes/quotes-waitable.ts';

export interface Asking {
  /** Whether the route was there before: then it may have quotes that can still be taken. */
  isKnown: boolean;
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** Said on an interruption. */
  standing: Text;
}

/**
 * The quotes of a draft route, asked for where there is none that can be taken; StillPending when time ran out. Where
 * a run before has asked, its round is waited for; where that brought nothing that lives, a fresh one begins.
 */
export async function readyQuotes(
  context: Context,
  route_id: string,
  { isKnown, standing, ...waiting }: Asking,
): Promise<RouteQuotes> {
  const before = isKnown ? await getQuotes(context, route_id) : null;
  if (before !== null && isUsable(before, context.serviceNow())) return before;
  const client = await context.client();
  context.standing(standing);
  // A round that is over is never repeated by its key: the next one has a name of its own.
  const part = before?.status === 'COMPLETE' ? `quotes-${context.now().toString(36)}` : 'quotes';
  await client.quotes.request({ params: { route_id }, idempotencyKey: context.idempotencyKey(part) });
  return completeQuotes(context, route_id, { ...waiting, isRequested: true, standing });
}

function isUsable({ data }: RouteQuotes, now: number): boolean {
  return data?.some((quote) => !isExpired(comparable(quote), now)) ?? false;
}
