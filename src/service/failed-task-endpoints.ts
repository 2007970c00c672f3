import { operations } from '../contract/operations.ts';
import { endpoint, lazily } from './http/handler.ts';

/** What was given up in the background. */
export const failedTaskEndpoints = {
  failedTasks: () => ({
    list: () =>
      endpoint(
        operations.failedTasks.list,
        lazily(async () => (await import('./tasks/failed-task-handlers.ts')).pageOfFailedTasks),
      ),
    retry: () =>
      endpoint(
        operations.failedTasks.retry,
        lazily(async () => (await import('./tasks/failed-task-handlers.ts')).retryTask),
      ),
    dismiss: () =>
      endpoint(
        operations.failedTasks.dismiss,
        lazily(async () => (await import('./tasks/failed-task-handlers.ts')).dropFailedTask),
      ),
  }),
};
