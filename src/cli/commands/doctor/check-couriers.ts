/** The check of `doctor` that has each connected courier asked whether it works. */
import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Courier } from '../../../contract/providers.ts';
import { timePhrase, timesFor } from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { type Finding, ok, readOnly, runCheck, warn } from './finding.ts';

/** Checks every connected courier by a call that changes nothing there. */
export async function checkCouriers(context: Context): Promise<Finding[]> {
  const connected: Courier[] = [];
  const first = await runCheck('couriers', context, async () => {
    const client = await context.client(readOnly);
    connected.push(...(await connectedCouriers(client)));
    return ok('couriers', `${connected.length} connected`);
  });
  if (first.status === 'fail') return [first];
  const findings: Finding[] = [];
  for (const courier of connected) {
    findings.push(await runCheck('couriers', context, () => checkCourier(context, courier)));
  }
  return connected.length === 0 ? [] : findings;
}

async function checkCourier(
  context: Context,
  { name, title, state, last_push_at, calls_paused_until }: Courier,
): Promise<Finding> {
  if (state === 'disabled') return ok('couriers', `${title} is disabled`);
  if (calls_paused_until !== null) {
    const found = `${title} has failed repeatedly and is not called ${untilText(calls_paused_until, context)}`;
    return warn('couriers', found, {
      remedy: 'Other couriers are used meanwhile, and then it is tried again.',
    });
  }
  const client = await context.client(readOnly);
  try {
    await client.couriers.check({ params: { name } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'unauthorized')
      return ok('couriers', `${title} was not checked: that takes an admin key`);
    const connect = invocation('couriers connect', [name]);
    return warn('couriers', error.message, { command: phrase`${connect}` });
  }
  const report = last_push_at === null ? 'no report has arrived yet' : 'reports arrive';
  return ok('couriers', `${title} works, ${report}`);
}

function untilText(iso: string, { output, now }: Context): string {
  const { json } = output;
  return json ? `until ${iso}` : timePhrase(iso, { now: now(), times: timesFor(output) }, 'until');
}

/** The couriers that are connected; none if the service is too old to connect couriers. */
async function connectedCouriers(client: Client): Promise<Courier[]> {
  try {
    const { data } = (await client.couriers.list()).data;
    return data.filter(({ state }) => state !== 'not_connected');
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}
