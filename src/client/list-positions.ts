import type { Operation } from '../contract/operation.ts';
import type { CallInput } from './requests.ts';

/**
 * A place in a list of a service that pages it in its own way, or not at all: a page, and how many of its records come
 * before the place. As a cursor it is that of the page, followed by `#` and the number.
 */
export interface ListPosition {
  /** The service's own cursor, the path of the page, or undefined for the first page. */
  page: string | undefined;
  skip: number;
}

export function positionOf(cursor: unknown): ListPosition {
  const [, page = '', skip = '0'] = /^(.*?)(?:#(\d{1,9}))?$/s.exec(String(cursor ?? '')) ?? [];
  return { page: page === '' ? undefined : page, skip: Number(skip) };
}

export function cursorOf({ page = '', skip }: ListPosition): string {
  return skip === 0 ? page : `${page}#${skip}`;
}

/** The request of a page: the list with a cursor, or the path that the service gave. */
export function pageRequest(
  operation: Operation,
  input: CallInput,
  query: Record<string, unknown>,
): { operation: Operation; input: CallInput } {
  const { cursor } = query;
  const isPath = typeof cursor === 'string' && cursor.startsWith(operation.path);
  if (!isPath) return { operation, input: { ...input, query } };
  return { operation: { ...operation, path: cursor, aliases: [] }, input: { ...input, query: {} } };
}
