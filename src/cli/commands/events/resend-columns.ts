import type { Resent } from '../../../contract/events.ts';
import type { Column } from '../../kit/result/result.ts';

/** Where events are sent once more. */
export const resentColumns: readonly Column<Resent>[] = [
  { field: 'event_id', header: 'Event', kind: 'id', value: ({ event_id }) => event_id },
  {
    field: 'webhook_endpoint_ids',
    header: 'To',
    kind: 'text',
    value: (resent) => resent.webhook_endpoint_ids,
  },
];
