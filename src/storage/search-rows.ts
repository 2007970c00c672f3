import type { Generated } from 'kysely';
import type { Scope } from './scope.ts';

/** The text by which an order and its deliveries are searched. */
export interface SearchDocumentTable extends Scope {
  /** Assigned by the engine in insertion order. */
  number: Generated<number>;
  order_id: string;
  text: string;
}
