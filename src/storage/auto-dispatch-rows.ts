import type { Generated, Selectable } from 'kysely';
import type { BatchStatus, Outcome, TryStatus } from '../contract/vocabulary.ts';
import type { Scope } from './scope.ts';

/** A batch of auto dispatch. */
export interface BatchRow extends Scope {
  id: string;
  status: BatchStatus;
  order_count: number;
  /** JSON. */
  settings: string;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
}

/** The auto-dispatch state of one order. */
export interface BatchOrderRow {
  order_id: string;
  batch_id: string;
  /** Its index in the request, from 0. */
  position: number;
  external_order_ref: string;
  status: Outcome;
  attempts: number;
  next_attempt_at: number | null;
  /** JSON: see `Refusal`. */
  refusals: string;
  delivery_id: string | null;
  reason: string;
  updated_at: number;
}

/** One attempt of auto dispatch. */
export interface AttemptRow extends Scope {
  id: string;
  order_id: string;
  batch_id: string;
  /** From 1. */
  number: number;
  status: TryStatus;
  route_id: string;
  provider: string | null;
  quote_id: string | null;
  delivery_id: string | null;
  reason: string;
  /** JSON. */
  left_out: string;
  created_at: number;
  ended_at: number | null;
}

/** An entry in a simulated courier's records. */
export interface CourierEntryTable {
  /** Assigned by the engine in insertion order. */
  sequence: Generated<number>;
  provider: string;
  /** Our reference for the dispatch. */
  reference: string;
  /** The name of the request; a repeat has the same. */
  name: string;
  kind: 'created' | 'refused' | 'fault' | 'canceled';
  /** JSON. */
  answer: string;
  entered_at: number;
}

export type CourierEntryRow = Selectable<CourierEntryTable>;
