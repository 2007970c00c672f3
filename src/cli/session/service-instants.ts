import { instantAt, type Moment } from '../kit/args/time-arguments.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { phrase, timePart } from '../kit/result/message.ts';
import type { Context } from './context.ts';

/** A moment as the API takes it. A length of time is counted from the service's own clock. */
export async function instantOf(
  context: Context,
  moment: Moment,
  direction: 'ago' | 'ahead',
): Promise<string> {
  const now = moment.at === undefined ? await serviceTime(context) : moment.at;
  return new Date(instantAt(moment, now, direction)).toISOString();
}

/** The same for the start of past records; UsageError for a moment that the service's clock has not reached. */
export async function pastInstantOf(context: Context, moment: Moment): Promise<string> {
  const instant = await instantOf(context, moment, 'ago');
  if (moment.span !== undefined) return instant;
  const now = await serviceTime(context);
  if (Date.parse(instant) <= now) return instant;
  throw new UsageError(
    phrase`--since ${moment.typed} is still to come: it is ${timePart(new Date(now).toISOString(), 'none')} at the service.`,
    { code: 'bad_value' },
  );
}

async function serviceTime(context: Context): Promise<number> {
  const client = await context.client();
  const answer = await client.account.get();
  return answer.service_time ?? context.now();
}
