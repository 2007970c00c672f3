/** The service itself: its description, its health, and failed background tasks. */
import { defineOperation } from './operation.ts';
import { Count, Deleted, Exact, Id, Instant, ListOf, Nullable, paging, type Static, Type } from './schema.ts';

export const getDescription = defineOperation({
  id: 'GetDescription',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get this description (OpenAPI 3.1)',
  tag: 'Service',
  permission: null,
  answer: Type.Object({ openapi: Type.Literal('3.1.1') }, { title: 'Description' }),
  is_constant: true,
  is_public: true,
});

export const getLiveness = defineOperation({
  id: 'GetLiveness',
  method: 'GET',
  path: '/health/live',
  summary: 'Check that the process answers',
  tag: 'Service',
  permission: null,
  answer: Type.Object({ status: Type.Literal('ok'), service_time: Instant() }, { title: 'Liveness' }),
  is_probe: true,
  is_public: true,
});

export const getHealth = defineOperation({
  id: 'GetHealth',
  method: 'GET',
  path: '/health',
  aliases: ['/health/ready'],
  summary: 'Check that the service can take requests: database, schema, clock and background work',
  tag: 'Service',
  permission: null,
  answer: Type.Object(
    {
      status: Type.Literal('ok'),
      service_time: Instant(),
      // Earlier versions of the service return neither.
      schema_version: Type.Optional(Type.Integer()),
      worker_silent_ms: Type.Optional(Nullable(Type.Integer())),
      warnings: Type.Optional(
        Type.Array(
          Type.Object(
            { code: Type.String({ examples: ['cleaning_postponed'] }), message: Type.String() },
            { title: 'HealthWarning' },
          ),
        ),
      ),
    },
    { title: 'Health' },
  ),
  is_probe: true,
  is_public: true,
  errors: ['not_ready'],
});

/** Background work that the service gave up because of an internal error. */
export const FailedTask = Type.Object(
  {
    id: Id('ftk'),
    object: Type.Literal('failed_task'),
    kind: Type.String({ description: 'Kind of the task, such as report.take or webhook.send' }),
    subject: Type.String({
      description: 'ID of the record that the task was about, or empty',
    }),
    error: Type.String({ description: 'Error of the last attempt' }),
    attempts: Count({ description: 'Number of attempts' }),
    retryable: Type.Boolean({
      description: 'False if the record has reached an outcome anyway and there is nothing left to do',
    }),
    test_mode: Type.Boolean(),
    due_at: Instant('When the task was due'),
    failed_at: Instant('When the task was given up'),
  },
  { title: 'FailedTask' },
);
export type FailedTask = Static<typeof FailedTask>;

const failedTaskParams = Exact({ failed_task_id: Id('ftk') });

export const listFailedTasks = defineOperation({
  id: 'ListFailedTasks',
  method: 'GET',
  path: '/v2/failed_tasks',
  summary: 'List failed background tasks, newest first',
  tag: 'Service',
  permission: 'read',
  query: Exact(paging),
  answer: ListOf(FailedTask),
});

export const retryFailedTask = defineOperation({
  id: 'RetryFailedTask',
  method: 'POST',
  path: '/v2/failed_tasks/{failed_task_id}/retry',
  summary: 'Retry a failed background task now',
  tag: 'Service',
  permission: 'admin',
  params: failedTaskParams,
  answer: FailedTask,
  errors: ['record_not_found', 'failed_task_not_retryable'],
});

export const dismissFailedTask = defineOperation({
  id: 'DismissFailedTask',
  method: 'DELETE',
  path: '/v2/failed_tasks/{failed_task_id}',
  summary: 'Dismiss a failed background task permanently',
  tag: 'Service',
  permission: 'admin',
  params: failedTaskParams,
  answer: Deleted({ id: Id('ftk') }, 'failed_task', 'DismissedFailedTask'),
  errors: ['record_not_found'],
});
