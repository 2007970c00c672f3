import type { Store } from '../../contract/stores.ts';
import type { Point } from '../../domain/geography.ts';
import type { StoreRow } from '../../storage/database.ts';
import { instant } from '../runtime/timestamps.ts';

/** The JSON part of a store's row: the address normalized, the phone number without its plus. */
export interface StoreRecord {
  name: string;
  address: string;
  point: Point;
  phone: string;
  unit: string;
  notes: string;
  /** The phone number and logo on tracking pages; empty if there are none. */
  support_phone: string;
  logo: string;
}

export function storeRecord(row: StoreRow): StoreRecord {
  return { support_phone: '', logo: '', ...JSON.parse(row.record) };
}

/** A store as returned by the API. */
export function storeView(row: StoreRow): Store {
  const { name, address, phone, unit, notes, support_phone, logo } = storeRecord(row);
  return {
    id: row.id,
    object: 'store',
    name,
    address,
    phone_number: phone,
    unit,
    notes,
    support_phone_number: support_phone,
    logo,
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
