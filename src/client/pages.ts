import type { Page } from '../contract/schema.ts';
import type { Answer } from './answers.ts';

/** A list call of the client: `client.orders.list`. */
export type ListCall<T, Q> = (input: { query: Q }) => Promise<Answer<Page<T>>>;

/** Every page of a list from the given query on, each as it came; only one is held at a time. */
export async function* pages<T, Q extends { cursor?: string | undefined }>(
  list: ListCall<T, Q>,
  query: Q,
): AsyncGenerator<Answer<Page<T>>> {
  for (let next = query; ; ) {
    const answer = await list({ query: next });
    yield answer;
    const { has_more, next_cursor } = answer.data;
    if (!has_more || next_cursor === null) return;
    next = { ...query, cursor: next_cursor };
  }
}

/** Every record of a list from the given query on, in constant memory. */
export async function* records<T, Q extends { cursor?: string | undefined }>(
  list: ListCall<T, Q>,
  query: Q,
): AsyncGenerator<T> {
  for await (const { data } of pages(list, query)) yield* data.data;
}
