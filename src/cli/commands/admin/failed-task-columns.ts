import type { FailedTask } from '../../../contract/failed-tasks.ts';
import type { Column } from '../../kit/result/result.ts';

/** How background work that was given up is shown. */
export const failedTaskColumns: readonly Column<FailedTask>[] = [
  { field: 'id', header: 'Failed task', kind: 'id', value: ({ id }) => id },
  { field: 'kind', header: 'Kind', kind: 'text', value: ({ kind }) => kind },
  { field: 'subject', header: 'About', kind: 'text', value: ({ subject }) => subject },
  { field: 'error', header: 'Error', kind: 'text', value: ({ error }) => error },
  { field: 'attempts', header: 'Tries', kind: 'count', spare: 1, value: ({ attempts }) => attempts },
  {
    field: 'retryable',
    header: 'Can be retried',
    kind: 'text',
    spare: 2,
    value: ({ retryable }) => (retryable ? 'yes' : 'no'),
  },
  { field: 'failed_at', header: 'Failed', kind: 'time', value: ({ failed_at }) => failed_at },
];
