import { operations } from '../contract/operations.ts';
import type { Order } from '../contract/orders.ts';
import type { Route } from '../contract/routes.ts';
import type { TSchema } from '../contract/schema.ts';
import { readLeniently } from './lenient.ts';

/** The draft route of a service without route look-ups: only its ID is known. */
export function assumedRoute(id: string): Route {
  return recordWith<Route>(operations.routes.get.answer, { id, status: 'draft' });
}

/** The open order of a service without order look-ups: only its ID is known. */
export function assumedOrder(id: string): Order {
  return recordWith<Order>(operations.orders.get.answer, { id, status: 'open' });
}

/** A record with these fields; all others read as empty. */
function recordWith<T extends object>(schema: TSchema, fields: Partial<T>): T {
  const record = readLeniently(schema, fields);
  if (isRecord<T>(record)) return record;
  throw new TypeError('the schema is not that of a record');
}

function isRecord<T extends object>(value: unknown): value is T {
  return typeof value === 'object' && value !== null;
}
