/** The stored record of a store. */
import type { StoreKind, UndeliverableAction } from '../../contract/vocabulary.ts';
import type { Place } from '../../domain/geography.ts';
import type { StoreRow } from '../../storage/database.ts';

/** The JSON part of a store's row: the address normalized, the phone number without its plus. */
export interface StoreRecord extends Place {
  name: string;
  phone: string;
  unit: string;
  notes: string;
  /** The phone number and logo on tracking pages; empty if there are none. */
  support_phone: string;
  logo: string;
  kind: StoreKind;
  /** Absent for `return`. */
  undeliverable_action?: UndeliverableAction;
  /** Nothing is dispatched from it before this time; absent if it was never paused. */
  paused_until?: number;
  /** The providers that are asked for its orders, in order of preference; absent or empty for all. */
  providers?: readonly string[];
}

/** A store of which nothing is known yet. */
export const blankStore: StoreRecord = {
  name: '',
  address: '',
  point: { lat: 0, lng: 0 },
  phone: '',
  unit: '',
  notes: '',
  support_phone: '',
  logo: '',
  kind: 'shop',
};

export function storeRecord(row: StoreRow): StoreRecord {
  return { support_phone: '', logo: '', kind: 'shop', ...JSON.parse(row.record) };
}
