import { insertAuditEntry } from '../../storage/audit.ts';
import type { AuditRow, Connection, Scope } from '../../storage/database.ts';
import { newRequestId } from './ids.ts';
import type { Clock } from './time.ts';

/** A change that is made without an API key. */
interface KeylessChange {
  scope: Scope;
  record_id: string;
  detail?: string | null;
}

/** Writes the audit entry of a change, in its transaction. */
export type RecordChange = (db: Connection, change: KeylessChange) => Promise<void>;

/** Who makes changes without an API key, and how. */
type Author = Pick<AuditRow, 'actor' | 'operation' | 'address'> &
  Partial<Pick<AuditRow, 'actor_name' | 'driver_id'>>;

/** The audit entries of one author are ordered as they are written. */
export function createAuditTrail(wall: Clock, author: Author): RecordChange {
  let number = 0;
  return async (db, { scope: { account_id, test_mode }, record_id, detail = null }) => {
    const created_at = wall.now();
    await insertAuditEntry(db, {
      id: newRequestId(created_at, number++).replace('req_', 'aud_'),
      account_id,
      test_mode,
      actor_name: null,
      driver_id: null,
      ...author,
      key_id: '',
      key_last_four: '',
      record_id,
      detail,
      created_at,
    });
  };
}
