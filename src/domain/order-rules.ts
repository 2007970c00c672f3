/** What an order may say, beyond what its schema can express, and when a wrong PIN is one too many. */
import type { Fault } from '../contract/errors.ts';
import type { OrderRequest } from '../contract/orders.ts';
import type { ItemSize } from '../contract/vocabulary.ts';
import { day_ms } from './durations.ts';
import { pairFaults } from './geography.ts';
import { dollars } from './money.ts';

/** An order is agreed for a time that is at most this far ahead. */
export const max_ahead_ms = 30 * day_ms;

/** The fields of an order that a store provides. */
export const pickupFields = [
  'pickup_address',
  'pickup_latitude',
  'pickup_longitude',
  'pickup_name',
  'pickup_phone_number',
  'pickup_unit',
  'pickup_notes',
] as const;

/**
 * Finds missing and mutually exclusive fields of an order, and a tip above the limit of the account, which the schema
 * cannot express.
 */
export function conflictsIn(order: OrderRequest, tip_limit: number | null = null): Fault[] {
  const faults: Fault[] = [];
  if (order.pickup_store_id !== undefined) {
    const given = pickupFields.filter((field) => order[field] !== undefined);
    faults.push(...given.map((path) => exclusive(path, 'pickup_store_id')));
  }
  if (order.pickup_at !== undefined && order.dropoff_at !== undefined) {
    faults.push(exclusive('dropoff_at', 'pickup_at'));
  }
  faults.push(
    ...pairFaults({ latitude: order.pickup_latitude, longitude: order.pickup_longitude }, 'pickup_'),
    ...pairFaults({ latitude: order.dropoff_latitude, longitude: order.dropoff_longitude }, 'dropoff_'),
  );
  if (order.request_signature === true && order.request_contactless === true) {
    const message = 'cannot be true together with request_signature';
    faults.push({ path: 'request_contactless', message, conflicts_with: 'request_signature' });
  }
  if (order.request_signature === true && order.undeliverable_action === 'leave_at_door') {
    const message = 'cannot be leave_at_door together with request_signature';
    faults.push({ path: 'undeliverable_action', message, conflicts_with: 'request_signature' });
  }
  if ((order.items ?? []).length === 0 && (order.items_description ?? '') === '') {
    faults.push({ path: 'items', message: 'is required, or items_description instead' });
  }
  faults.push(...sizeFaults(order.items));
  const tip = tipFault(order.tip ?? 0, [order], tip_limit);
  if (tip !== null) faults.push({ path: 'tip', message: tip });
  return faults;
}

const usual_tip_limit = 10_000;

/**
 * The error for the tip of some orders together, or null; all amounts in cents. Each order may have the limit of
 * the account, by default $100 or its value where that is more: a tip with a misplaced decimal point is not paid out.
 */
export function tipFault(
  tip: number,
  orders: readonly { order_value?: number }[],
  tip_limit: number | null,
): string | null {
  const limits = orders.map(({ order_value = 0 }) => tip_limit ?? Math.max(usual_tip_limit, order_value));
  const largest = limits.reduce((sum, limit) => sum + limit, 0);
  if (tip <= largest) return null;
  const why =
    tip_limit === null ? 'the larger of $100 and the value of the order' : 'the tip limit of the account';
  return `must be at most ${dollars(largest)} (${largest} cents): ${why}`;
}

/** The items whose size is none. */
export function sizeFaults(items: OrderRequest['items'] = []): Fault[] {
  return items.flatMap(({ size }, index) => {
    if (itemSize(size) !== null) return [];
    return { path: `items[${index}].size`, message: `must be one of ${sizeNames.join(', ')}` };
  });
}

/** The error of a field that excludes another one. */
export function exclusive(path: string, conflicts_with: string): Fault {
  return { path, message: `cannot be given together with ${conflicts_with}`, conflicts_with };
}

/** Why an order cannot be scheduled for a time, or null; times in milliseconds since the epoch. */
export function timeFault(at: number, now: number): string | null {
  if (at <= now) return 'must be in the future';
  return at > now + max_ahead_ms ? 'must be within 30 days' : null;
}

/** The accepted spellings of each size, without case, spaces, hyphens and underscores. */
const sizes: Readonly<Record<string, ItemSize>> = {
  s: 'small',
  sm: 'small',
  small: 'small',
  m: 'medium',
  med: 'medium',
  medium: 'medium',
  l: 'large',
  lg: 'large',
  large: 'large',
  xl: 'extra_large',
  xlarge: 'extra_large',
  extralarge: 'extra_large',
};

/** The sizes themselves, from small to large. */
export const sizeNames: readonly ItemSize[] = [...new Set(Object.values(sizes))];

/** Parses a size in any case and with the usual synonyms; small by default, null if unknown. */
export function itemSize(text = 'small'): ItemSize | null {
  const key = text.toLowerCase().replace(/[\s_-]/g, '');
  return Object.hasOwn(sizes, key) ? (sizes[key] ?? null) : null;
}

/** The number of wrong PINs that locks a handover until the merchant lifts it. */
export const max_wrong_pins = 5;

/** Whether so many wrong PINs were entered that no PIN is accepted. */
export function isPinLocked({ wrong_pins = 0 }: { wrong_pins?: number | undefined }): boolean {
  return wrong_pins >= max_wrong_pins;
}
