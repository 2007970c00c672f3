import { listOf, object, orNull, word } from '../shapes.ts';

/** The results of `today`. */

const problemFields = {
  kind: 'one of the counts',
  id: 'string',
  external_order_ref: orNull(word('string')),
  what: 'string',
  since: orNull(word('time')),
  next: object({ command: 'string', args: listOf(word('string')), when: 'string' }),
};

export const watchedProblem = object({
  type: '"problem.current" | "problem.added" | "problem.solved"',
  ...problemFields,
});

export const problems = object({
  object: '"problems"',
  counts: object({
    waiting: 'integer',
    off_duty: 'integer',
    locked: 'integer',
    failed: 'integer',
    canceled: 'integer',
    unfulfilled: 'integer',
    returned: 'integer',
    stuck: 'integer',
    late: 'integer',
    disputed: 'integer',
    webhook: 'integer',
    provider: 'integer',
  }),
  items: listOf(object(problemFields)),
  unchecked: listOf(word('waiting_orders | deliveries | drivers | orders | disputes | webhooks | providers')),
  incomplete: listOf(
    word('waiting_orders | deliveries | drivers | orders | disputes | webhooks | providers'),
  ),
});
