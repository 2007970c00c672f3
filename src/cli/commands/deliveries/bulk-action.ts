/**
 * The interface between `bulk.ts` and the two commands that change several deliveries, `deliveries cancel` and
 * `deliveries retry`: how to price and change one delivery, and how to ask for consent to the total.
 */

/** A delivery whose command is possible, with its price in cents; null if unknown. */
export interface Priced {
  kind: 'priced';
  delivery_id: string;
  cost: number | null;
  refund: number;
  tip?: number;
}

/** A delivery that is not changed, and why. */
export interface Refused {
  kind: 'refused';
  delivery_id: string;
  code: string;
  reason: string;
}

/** A delivery that the same command has changed before: it is neither refused nor changed again. */
interface Done {
  kind: 'done';
  delivery_id: string;
  outcome: BulkOutcome;
}

/** The outcome of one delivery of a bulk command. Amounts are in cents. */
export interface BulkOutcome {
  object: 'bulk_result';
  delivery_id: string;
  result: 'canceled' | 'retried' | 'refused' | 'failed' | 'not_sent';
  new_delivery_id: string | null;
  cost: number | null;
  refund: number | null;
  code: string | null;
  reason: string | null;
}

/** The steps of a bulk command for each delivery. */
export interface BulkAction {
  command: 'deliveries cancel' | 'deliveries retry';
  done: 'canceled' | 'retried';
  /** The limit of what all deliveries together cost with their tips, in cents, and its flag. */
  limit: { flag: 'maxCost' | 'maxFee'; max: number | undefined };
  /** The price. A delivery is left out if its order is closed, or if it is gone: done already. */
  price(delivery_id: string): Promise<Priced | Refused | Done | { kind: 'closed' } | { kind: 'gone' }>;
  /** Has the total confirmed; fails with exit 6 if it is above the limit. `refused` counts the deliveries that are. */
  agree(priced: readonly Priced[], refused: number): Promise<void>;
  /** Changes one delivery; `remaining` is what is left of the limit. */
  act(
    priced: Priced,
    options: { remaining: number | undefined; idempotencyKey: string },
  ): Promise<BulkOutcome>;
  /** The period of --where if none is given, where --where names ended deliveries, such as `failed`. */
  period?: string;
}

/** The reference and the store by which people know a delivery. */
export interface Named {
  external_order_ref: string | null;
  /** The name at the pickup. */
  store: string | null;
}

/** A delivery to act on, one that is refused, or one that is done. */
export type Checked = (Priced | Refused | Done) & Named;
