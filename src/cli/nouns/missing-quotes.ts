/**
 * The errors for quotes that are not there: not ready yet (exit 8), or declined by every provider (exit 9), with the next
 * commands.
 */
import type { Decline, RouteQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { BadOutcome, type FailureDetails, StillPending } from '../kit/errors/failure.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';

/** Exit 8: the quotes are not ready or were not requested; the response does not distinguish the two. */
export function quotesPending(
  route: string,
  details: FailureDetails = {},
  message = `The quotes of ${route} are not ready yet.`,
): StillPending {
  return new StillPending(message, {
    code: 'quotes_not_ready',
    next: [requestStep(route), watchStep(route)],
    ...details,
  });
}

/** Exit 8 at once: quotes that nobody asked for do not come. */
export function notRequested(route: string): StillPending {
  return quotesPending(route, { next: [requestStep(route)] }, `No quotes of ${route} were requested yet.`);
}

export function requestStep(route: string): NextStep {
  const command = invocation('routes quote', [route], { watch: true });
  return { ...command, when: 'if no quotes were requested yet' };
}

export function watchStep(route: string): NextStep {
  return { ...invocation('quotes list', [route], { watch: true }), when: 'wait for them' };
}

/** How an account gets its first provider in live mode. */
const getCouriers: readonly NextStep[] = [
  { ...invocation('couriers connect', ['COURIER']), when: 'connect a courier; couriers list shows them' },
  { ...invocation('drivers add'), when: 'or add a driver of your own' },
];

const seeDrivers: NextStep = {
  ...invocation('drivers list'),
  when: 'see who is on duty: drivers go on duty on their pages',
};

/** Exit 9: every provider declined, with the reasons. */
export function noQuotes(
  route: string,
  { reasons = [] }: RouteQuotes,
  details: FailureDetails = {},
): BadOutcome {
  const isLiveWithoutCourier = reasons.length > 0 && reasons.every(({ code }) => code === 'simulated_only');
  const hasNoDriver = reasons.some(
    ({ provider, code }) => provider === fleet_provider && code === 'no_courier_free',
  );
  const why = isLiveWithoutCourier
    ? 'The account has no connected courier and no driver of its own in live mode. Simulated couriers carry test deliveries only.'
    : reasons.map(reasonText).join('\n');
  return new BadOutcome(`No provider offers a quote for ${route}.`, {
    code: 'no_quotes',
    ...(why === '' ? {} : { why, reasons }),
    next: [
      ...(isLiveWithoutCourier ? getCouriers : []),
      ...(hasNoDriver ? [seeDrivers] : []),
      { ...invocation('routes quote', [route], { watch: true }), when: 'request quotes again later' },
    ],
    ...details,
  });
}

/** Adds the provider's name to a reason that does not contain it. */
export function reasonText({ provider, reason }: Decline): string {
  return reason.includes(provider) ? reason : `${provider}: ${reason}`;
}
