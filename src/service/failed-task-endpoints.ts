import { operations } from '../contract/operations.ts';
import { endpoint, lazily } from './endpoint.ts';

/** What was given up in the background. */
export const failedTaskEndpoints = {
  failedTasks: () => ({
    list: () =>
      endpoint(
        operations.failedTasks.list,
        lazily(async () => (await import('./failed-tasks.ts')).pageOfFailedTasks),
      ),
    retry: () =>
      endpoint(
        operations.failedTasks.retry,
        lazily(async () => (await import('./failed-tasks.ts')).retryTask),
      ),
    dismiss: () =>
      endpoint(
        operations.failedTasks.dismiss,
        lazily(async () => (await import('./failed-tasks.ts')).dropFailedTask),
      ),
  }),
};
