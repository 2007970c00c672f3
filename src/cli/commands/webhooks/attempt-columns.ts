import type { WebhookAttempt } from '../../../contract/webhook-endpoints.ts';
import type { Column } from '../../kit/result/result.ts';

/** How attempts to send are shown. `-o id` gives the events, as it is those that are sent again. */
export const attemptColumns: readonly Column<WebhookAttempt>[] = [
  { field: 'created_at', header: 'When', kind: 'time', spare: 5, value: ({ created_at }) => created_at },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'status_code', header: 'Code', kind: 'text', value: ({ status_code }) => status_code },
  { field: 'event_type', header: 'Type', kind: 'text', spare: 4, value: ({ event_type }) => event_type },
  { field: 'number', header: 'Try', kind: 'count', spare: 3, value: ({ number }) => number },
  { field: 'reason', header: 'Reason', kind: 'text', prose: true, value: ({ reason }) => reason },
  {
    field: 'next_attempt_at',
    header: 'Next',
    kind: 'clock',
    spare: 6,
    value: (each) => each.next_attempt_at,
  },
  { field: 'duration_ms', header: 'Took (ms)', kind: 'count', spare: 2, value: (each) => each.duration_ms },
  { field: 'event_id', header: 'Event', kind: 'id', value: ({ event_id }) => event_id },
  { field: 'delivery_id', header: 'Delivery', kind: 'id', wide: true, value: (each) => each.delivery_id },
  { field: 'sequence', header: 'Sequence', kind: 'text', wide: true, value: ({ sequence }) => sequence },
  {
    field: 'response',
    header: 'Response',
    kind: 'text',
    spare: 1,
    unlessEmpty: true,
    value: ({ response }) => response,
  },
  { field: 'id', header: 'Attempt', kind: 'id', wide: true, value: ({ id }) => id },
];
