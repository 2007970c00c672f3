import { records } from '../../../client/pages.ts';
import type { WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { type Finding, ok, runCheck, warn } from './finding.ts';

const max_listed = 5;

/** Checks for webhook endpoints that do not receive their events. */
export async function checkWebhooks(context: Context): Promise<Finding[]> {
  const endpoints: WebhookEndpoint[] = [];
  const first = await runCheck('webhooks', context, async () => {
    const client = await context.client({ reads: true, opensUnchanged: true });
    for await (const endpoint of records(client.webhooks.list, { limit: 100 })) endpoints.push(endpoint);
    return ok('webhooks', summaryOf(endpoints));
  });
  if (first.status === 'fail') return [first];
  const faulty = endpoints.flatMap(faultsOf);
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

function faultsOf({ id, url, status, disabled_reason, waiting, exhausted }: WebhookEndpoint): Finding[] {
  const why = disabled_reason === '' ? '' : `: ${disabled_reason}`;
  const wait = waiting === 0 ? '' : `, ${waiting} waiting`;
  const enable = invocation('webhooks update', [id], { enable: true });
  const attempts = invocation('webhooks attempts', [id], { exhausted: true, all: true, output: 'id' });
  const again = phrase`${attempts} | ${invocation('events resend', ['-'], { endpoint: id })}`;
  const events = exhausted === 1 ? '1 event was' : `${exhausted} events were`;
  return [
    ...(status === 'enabled'
      ? []
      : [warn('webhooks', `${url} is disabled${why}${wait}`, { command: phrase`${enable}` })]),
    ...(exhausted === 0
      ? []
      : [
          warn('webhooks', `${events} given up at ${url}`, {
            remedy: 'Once it takes them again:',
            command: again,
          }),
        ]),
  ];
}
