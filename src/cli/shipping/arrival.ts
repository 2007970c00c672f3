import type { Context } from '../context.ts';
import { arrived, isAwaited, type Wait } from '../deliveries/arrival.ts';
import type { Shipped } from '../flow/deliver.ts';
import { deliveriesOf, dispatchedAnswer } from '../flow/outcome.ts';
import type { Result } from '../result.ts';

/** The deliveries, once each has reached what is waited for; fails as `deliveries wait` does, with them all the same. */
export async function answerOf(context: Context, { route, told }: Shipped, wait: Wait): Promise<Result> {
  if (!isAwaited(wait, route.deliveries)) return dispatchedAnswer(context, route, told);
  if (!context.output.json) context.note(told);
  return arrived(context, route.deliveries, wait, (last) =>
    deliveriesOf(context, { ...route, deliveries: [...last] }),
  );
}
