import type { DispatchedRoute } from '../../contract/dispatches.ts';
import type { RouteQuote } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { deliveryColumns } from '../columns/deliveries.ts';
import type { Context } from '../context.ts';
import { failedAtOnce } from '../deliveries/initiation.ts';
import { endingText } from '../deliveries/status-words.ts';
import { trackingNotes } from '../deliveries/tracking-link.ts';
import { invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase } from '../kit/output/message.ts';
import { document, list, type Result } from '../result.ts';

/**
 * The deliveries of a route; in JSON the interface's own document. What was done is told in a sentence where any of
 * them did not fail at once; exit 9 where some did.
 */
export function dispatchedAnswer(context: Context, route: DispatchedRoute, told: string): Result {
  const failed = failedIn(route);
  if (failed.length > 0 && context.output.json) throw failedAtOnce(failed, document(route));
  const ending = failed.length === 0 ? {} : { exit: 9 };
  return deliveriesOf(context, route, {
    notes: [...notesOf(route, told), ...linkNotes(context, route)],
    ...ending,
  });
}

/** The same without a word about it. */
export function deliveriesOf(
  { output }: Pick<Context, 'output'>,
  route: DispatchedRoute,
  ending: { notes?: readonly Text[]; exit?: number } = {},
): Result {
  if (output.json) return document(route, ending);
  return list({ data: route.deliveries, columns: deliveryColumns, ...ending });
}

/** Those that never were on their way. */
function failedIn({ deliveries }: DispatchedRoute): DispatchedRoute['deliveries'] {
  return deliveries.filter(({ status }) => status === 'failed');
}

/** `Dispatched to poolride for $6.47 ($5.99 and a fee of $0.48).`, and what the driver gets on top. */
export function dispatchText(quote: RouteQuote, { deliveries }: DispatchedRoute): string {
  const price = `${dollars(quotePrice(quote))} (${dollars(quote.cost_of_delivery)} and a fee of ${dollars(quote.service_fee)})`;
  const tips = deliveries.reduce((sum, { tip }) => sum + (tip ?? 0), 0);
  const onTop = tips === 0 ? '' : `, and a tip of ${dollars(tips)}`;
  return `Dispatched to ${quote.provider} for ${price}${onTop}.`;
}

/** Only a table with all columns shows the links. */
function linkNotes(context: Context, { deliveries: [first] }: DispatchedRoute): Text[] {
  return first === undefined || context.output.format !== 'wide' ? [] : trackingNotes(context, first);
}

function notesOf(route: DispatchedRoute, told: string): Text[] {
  const failures = failedIn(route).map(
    (delivery) => `${delivery.id} ${endingText(delivery)} Nothing is charged for it.`,
  );
  const [first] = route.deliveries.filter(({ status }) => status !== 'failed');
  if (first === undefined) return failures;
  return [told, ...failures, phrase`Next: ${invocation('deliveries watch', [first.id])}`];
}
