/** The check of `doctor` for webhook endpoints that do not receive their events. */
import type { Client } from '../../../client/client.ts';
import { allRecords } from '../../../client/pages.ts';
import type { WebhookEndpoint } from '../../../contract/events.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { type Finding, ok, readOnly, runCheck, warn } from './finding.ts';

/** The maximum number of webhook faults in the list. */
const max_listed = 5;

/** Checks for webhook endpoints that do not receive their events. */
export async function checkWebhooks(context: Context): Promise<Finding[]> {
  const faulty: Finding[] = [];
  const first = await runCheck('webhooks', context, async () => {
    const client = await context.client(readOnly);
    const endpoints = await allRecords(client.webhooks.list, { limit: 100 });
    for (const endpoint of endpoints)
      faulty.push(...faultsOf(endpoint), ...(await latestFailure(client, endpoint)));
    return ok('webhooks', summaryOf(endpoints));
  });
  if (first.status === 'fail') return [first];
  const left = faulty.length - max_listed;
  const more =
    left > 0
      ? [warn('webhooks', `and ${left} more`, { command: phrase`${invocation('webhooks list')}` })]
      : [];
  return [first, ...faulty.slice(0, max_listed), ...more];
}

function summaryOf(endpoints: readonly WebhookEndpoint[]): string {
  const waiting = endpoints.reduce((sum, endpoint) => sum + endpoint.waiting, 0);
  const count = endpoints.length === 1 ? '1 endpoint' : `${endpoints.length} endpoints`;
  return waiting === 0 ? count : `${count}, ${waiting} ${waiting === 1 ? 'event' : 'events'} on the way`;
}

/**
 * A warning if events wait for an endpoint whose latest attempt failed: none has succeeded since. One whose events were
 * given up has a warning already.
 */
async function latestFailure(client: Client, endpoint: WebhookEndpoint): Promise<Finding[]> {
  const { id, url, status, waiting, exhausted } = endpoint;
  if (status !== 'enabled' || waiting === 0 || exhausted > 0) return [];
  const params = { webhook_endpoint_id: id };
  const [latest] = (await client.webhooks.attempts({ params, query: { limit: 1 } })).data.data;
  if (latest?.status !== 'failed') return [];
  const failed = invocation('webhooks attempts', [id], { failed: true });
  return [
    warn('webhooks', `the latest attempt at ${url} failed: ${latest.reason}`, { command: phrase`${failed}` }),
  ];
}

/** Warnings about an endpoint that is disabled, or whose events were given up. */
function faultsOf({ id, url, status, disabled_reason, waiting, exhausted }: WebhookEndpoint): Finding[] {
  const why = disabled_reason === '' ? '' : `: ${disabled_reason}`;
  const wait = waiting === 0 ? '' : `, ${waiting} waiting`;
  const enable = invocation('webhooks update', [id], { enable: true });
  const attempts = invocation('webhooks attempts', [id], { exhausted: true, all: true, output: 'id' });
  const again = phrase`${attempts} | ${invocation('events resend', ['-'], { endpoint: id })}`;
  const events = exhausted === 1 ? '1 event was' : `${exhausted} events were`;
  const disabled = warn('webhooks', `${url} is disabled${why}${wait}`, { command: phrase`${enable}` });
  const fix = { remedy: 'Once it takes them again:', command: again };
  const givenUp = warn('webhooks', `${events} given up at ${url}`, fix);
  return [...(status === 'enabled' ? [] : [disabled]), ...(exhausted === 0 ? [] : [givenUp])];
}
