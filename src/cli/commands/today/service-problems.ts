import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import { pages } from '../../../client/pages.ts';
import type { SandboxProvider } from '../../../contract/sandbox.ts';
import type { WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Found, firstRecords, type Problem } from './problem.ts';

/** Lists webhook endpoints that are disabled or whose events were given up. */
export async function webhookProblems(client: Client): Promise<Found> {
  const { records: endpoints, isCut } = await firstRecords(pages(client.webhooks.list, { limit: 100 }));
  const problems: Problem[] = [];
  for (const endpoint of endpoints) {
    if (endpoint.status === 'disabled') problems.push(disabledProblem(endpoint));
    else if (endpoint.exhausted > 0) problems.push(await exhaustedProblem(client, endpoint));
  }
  return { problems, isCut };
}

function disabledProblem(endpoint: WebhookEndpoint): Problem {
  const { id, url, disabled_reason, waiting, updated_at } = endpoint;
  const why = disabled_reason === '' ? '' : `: ${disabled_reason}`;
  const what = `is disabled (${url})${why}${waiting === 0 ? '' : `, ${waiting} waiting`}`;
  const next = { ...invocation('webhooks update', [id], { enable: true }), when: 'enable it again' };
  return { kind: 'webhook', id, external_order_ref: null, what, since: updated_at, zone: null, next };
}

/** The time of the problem is that of the oldest among the last hundred events that were given up. */
async function exhaustedProblem(client: Client, { id, url, exhausted }: WebhookEndpoint): Promise<Problem> {
  const query = { status: 'failed', last: true, limit: 100 } as const;
  const params = { webhook_endpoint_id: id };
  const { data } = await client.webhooks.attempts({ params, query });
  const events = exhausted === 1 ? '1 event' : `${exhausted} events`;
  return {
    kind: 'webhook',
    id,
    external_order_ref: null,
    what: `did not receive ${events}, and retries have ended (${url})`,
    since: data.data.at(-1)?.created_at ?? null,
    zone: null,
    next: {
      ...invocation('webhooks attempts', [id], { exhausted: true }),
      when: 'see which events, and how it answered',
    },
  };
}

/** Lists simulated providers that do not work normally. Other services do not report the state of a provider. */
export async function providerProblems(client: Client): Promise<Found> {
  const { data: account } = await client.account.get();
  const problems: Problem[] = [];
  if (!account.sandbox || !account.test_mode) return { problems, isCut: false };
  for (const name of account.providers) {
    const data = await simulatedState(client, name);
    if (data === null || data.state === 'up') continue;
    const until = data.until === null ? '' : ` until ${data.until}`;
    problems.push({
      kind: 'provider',
      id: name,
      external_order_ref: null,
      ...{ what: `is ${data.state.replace('_', ' ')}${until}`, since: null, zone: null },
      next: { ...invocation('sandbox provider', [name], { up: true }), when: 'end the simulated failure' },
    });
  }
  return { problems, isCut: false };
}

/** The state of a simulated provider; null for a courier or the own fleet, which are not simulated. */
async function simulatedState(client: Client, name: string): Promise<SandboxProvider | null> {
  try {
    return (await client.sandbox.provider({ params: { name } })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found') return null;
    throw error;
  }
}
