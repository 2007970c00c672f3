import type { Context } from '../context.ts';
import { awaitAll } from '../deliveries/awaiting.ts';
import type { Named } from '../deliveries/goal-flags.ts';
import { deliveriesOf, dispatchedAnswer, failedIn } from '../dispatching/dispatched.ts';
import { commandLine } from '../line/command-line.ts';
import { durationText } from '../line/flags.ts';
import type { Result } from '../result.ts';
import type { Shipped } from './shipping.ts';

/** How long a wait for a delivery is where nobody says. */
const patience_ms = 1_800_000;

export interface Wait {
  /** What each delivery is to reach; null: nobody waits. */
  until: Named;
  fail_on: Named;
  /** Since `begun`, quotes and all. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** Milliseconds since the epoch, by this machine. */
  begun: number;
}

/** The deliveries, once each has reached what is waited for; fails as `deliveries wait` does, with them all the same. */
export async function answerOf(context: Context, { route, told }: Shipped, wait: Wait): Promise<Result> {
  const { until, fail_on, timeout_ms, interval_ms, begun } = wait;
  if (until === null || (failedIn(route).length > 0 && !until.statuses.includes('failed')))
    return dispatchedAnswer(context, route, told);
  if (!context.output.json) context.note(told);
  const left = timeout_ms === undefined ? patience_ms : begun + timeout_ms - context.now();
  const interval = interval_ms === undefined ? undefined : durationText(interval_ms);
  const flags = { until: until.text, failOn: fail_on?.text, interval };
  const deliveries = await awaitAll(
    context,
    route.deliveries,
    { until: until.statuses, fail_on: fail_on?.statuses ?? null },
    {
      ...{ timeout_ms: Math.max(0, left), given_ms: timeout_ms, interval_ms },
      again: ({ id }) => commandLine(['deliveries', 'wait', id], flags),
      failed: (last) => deliveriesOf(context, { ...route, deliveries: [...last] }),
    },
  );
  return deliveriesOf(context, { ...route, deliveries: [...deliveries] });
}
