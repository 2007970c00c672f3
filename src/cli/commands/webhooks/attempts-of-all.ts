import { records } from '../../../client/pages.ts';
import type { AttemptStatus } from '../../../contract/vocabulary.ts';
import type { WebhookAttempt } from '../../../contract/webhook-endpoints.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, type ListResult, list } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { attemptColumns } from './attempt-text.ts';

const endpointColumn: Column<WebhookAttempt> = {
  field: 'webhook_endpoint_id',
  header: 'Endpoint',
  kind: 'text',
  value: ({ webhook_endpoint_id }) => webhook_endpoint_id,
};

/** The endpoint instead of the event where there is no room for both. */
const columns = [
  ...attemptColumns.map((column) => (column.field === 'event_id' ? { ...column, spare: 1 } : column)),
  endpointColumn,
];

interface Narrowed {
  status: AttemptStatus | undefined;
  event_id: string | undefined;
  last: true | undefined;
}

/** The newest attempts of all endpoints together, at most `limit` of them, or all. UsageError with a cursor. */
export async function attemptsOfAll(
  context: Context,
  narrowed: Narrowed,
  { limit, all, cursor }: { limit: number; all: boolean; cursor: string | undefined },
): Promise<ListResult> {
  if (cursor !== undefined) throw new UsageError('--cursor continues the list of one endpoint: name it.');
  const client = await context.client();
  const most = all ? Number.POSITIVE_INFINITY : limit;
  const found: WebhookAttempt[] = [];
  let endpoints = 0;
  for await (const { id } of records(client.webhooks.list, {})) {
    endpoints += 1;
    found.push(...(await newestOf(context, id, narrowed, most)));
  }
  const sorted = found.sort((left, right) => Date.parse(right.created_at) - Date.parse(left.created_at));
  const data = sorted.slice(0, most);
  const rest = sorted.length > data.length ? ['There is more: pass --all, or an endpoint.'] : [];
  const create = invocation('webhooks create', ['URL']);
  return list({
    ...{ data, columns, notes: rest },
    empty: endpoints === 0 ? phrase`No webhook endpoints found. Add one: ${create}` : 'No attempts found.',
  });
}

/** One more than `most`, so that it is known whether there are more. */
async function newestOf(
  context: Context,
  webhook_endpoint_id: string,
  narrowed: Narrowed,
  most: number,
): Promise<WebhookAttempt[]> {
  const client = await context.client();
  const params = { webhook_endpoint_id };
  const found: WebhookAttempt[] = [];
  const page = ({ query }: { query: object }) =>
    client.webhooks.attempts({ params, query: { ...query, ...narrowed } });
  for await (const attempt of records(page, { limit: Math.min(100, most + 1) })) {
    found.push(attempt);
    if (found.length > most) break;
  }
  return found;
}
