import type { NewWebhookEndpoint, WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import type { Column } from '../../kit/result/result.ts';

/** Columns of webhook endpoints. */
export const webhookColumns: readonly Column<WebhookEndpoint>[] = [
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'url', header: 'URL', kind: 'text', value: ({ url }) => url },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'events', header: 'Events', kind: 'text', prose: true, spare: 2, value: ({ events }) => events },
  { field: 'waiting', header: 'Waiting', kind: 'count', spare: 3, value: ({ waiting }) => waiting },
  { field: 'exhausted', header: 'Given up', kind: 'count', spare: 4, value: ({ exhausted }) => exhausted },
  {
    field: 'description',
    header: 'Description',
    kind: 'text',
    prose: true,
    spare: 1,
    unlessEmpty: true,
    value: ({ description }) => description,
  },
  {
    field: 'disabled_reason',
    header: 'Disabled as',
    kind: 'text',
    wide: true,
    value: (endpoint) => endpoint.disabled_reason,
  },
  {
    field: 'previous_secret_until',
    header: 'Old secret until',
    kind: 'time',
    wide: true,
    value: (endpoint) => endpoint.previous_secret_until,
  },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true, value: ({ test_mode }) => test_mode },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true, value: (each) => each.created_at },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true, value: (each) => each.updated_at },
];

/** The same columns with the secret, which is shown only once. */
export const newWebhookColumns: readonly Column<NewWebhookEndpoint>[] = [
  { field: 'secret', header: 'Secret', kind: 'text', value: ({ secret }) => secret ?? 'shown before' },
  ...webhookColumns,
];
