import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Id, Instant, ListOf, paging, Type } from './schema.ts';

/** Background work that the service gave up because of a fault of its own. */
export const FailedTask = Type.Object(
  {
    id: Id('ftk'),
    object: Type.Literal('failed_task'),
    kind: Type.String({ description: 'What was to be done, such as report.take or webhook.send' }),
    subject: Type.String({
      description: 'Id of the record that it was about; empty where it was about none',
    }),
    error: Type.String({ description: 'What the last try failed with' }),
    attempts: Count({ description: 'How often it was tried' }),
    retryable: Type.Boolean({
      description: 'False where the record has its outcome all the same, and there is nothing left to do',
    }),
    test_mode: Type.Boolean(),
    due_at: Instant('When it was to be done'),
    failed_at: Instant('When it was given up'),
  },
  { title: 'FailedTask' },
);
export type FailedTask = Static<typeof FailedTask>;

const params = Exact({ failed_task_id: Id('ftk') });

export const listFailedTasks = operation({
  id: 'ListFailedTasks',
  method: 'GET',
  path: '/v2/failed_tasks',
  summary: 'The background work that was given up, the last one first',
  tag: 'Service',
  permission: 'read',
  query: Exact(paging),
  answer: ListOf(FailedTask),
  errors: [],
});

export const retryFailedTask = operation({
  id: 'RetryFailedTask',
  method: 'POST',
  path: '/v2/failed_tasks/{failed_task_id}/retry',
  summary: 'Try failed background work again now',
  tag: 'Service',
  permission: 'admin',
  params,
  answer: FailedTask,
  errors: ['record_not_found', 'failed_task_not_retryable'],
});

export const dismissFailedTask = operation({
  id: 'DismissFailedTask',
  method: 'DELETE',
  path: '/v2/failed_tasks/{failed_task_id}',
  summary: 'Drop failed background work for good',
  tag: 'Service',
  permission: 'admin',
  params,
  answer: Type.Object(
    { id: Id('ftk'), object: Type.Literal('failed_task'), deleted: Type.Literal(true) },
    { title: 'DismissedFailedTask' },
  ),
  errors: ['record_not_found'],
});
