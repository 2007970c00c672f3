import type { AuditEntry, listAuditEntries } from '../../contract/audit.ts';
import { Problem } from '../../contract/errors.ts';
import { isAudited, type ServedOperation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { courier_report, operatorActions } from '../../contract/vocabulary.ts';
import { nearNames } from '../../domain/near-names.ts';
import { listAuditEntries as listRows } from '../../storage/audit.ts';
import type { AuditRow } from '../../storage/database.ts';
import { driverNames } from '../../storage/drivers.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { instant } from '../runtime/time.ts';

export const pageOfAuditEntries: Handler<typeof listAuditEntries> = async ({ service, caller, query }) => {
  const { actor, key_id, operation, record_id } = query;
  if (operation !== undefined) requireAudited(operation);
  const wanted = { ...caller.scope, ...pageRequest(query, 'aud'), actor, key_id, operation, record_id };
  return service.storage.read(async (db) => {
    const page = await listRows(db, wanted);
    const names = await driverNames(db, [...new Set(page.rows.flatMap(({ driver_id }) => driver_id ?? []))]);
    return pageOf(page, (row) => viewOf(row, names));
  });
};

/** Throws `invalid_request` for an operation that leaves no entries. */
function requireAudited(operation: string): void {
  const requested = Object.values<Readonly<Record<string, ServedOperation>>>(operations).flatMap((verbs) =>
    Object.values(verbs)
      .filter(isAudited)
      .map(({ id }) => id),
  );
  const choices: string[] = [...requested, courier_report, ...operatorActions];
  if (choices.includes(operation)) return;
  const [near] = nearNames(operation, choices);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const message = `must be an operation that changes something, such as CancelDelivery${hint}`;
  const fault = { path: 'operation', message };
  throw new Problem('invalid_request', `Unknown operation ${operation}.`, [fault], { choices });
}

/** Drivers are shown by the name that they have now; one who has left the fleet has none. */
function viewOf(
  { id, test_mode, created_at, ...row }: AuditRow,
  driver_names: ReadonlyMap<string, string>,
): AuditEntry {
  const { actor, driver_id, operation, record_id, detail, address } = row;
  const actor_name = driver_id === null ? row.actor_name : (driver_names.get(driver_id) ?? null);
  const isKey = actor === 'key';
  return {
    ...{ id, object: 'audit_entry', operation, record_id, detail, actor, actor_name },
    key_id: isKey ? row.key_id : null,
    key_last_four: isKey ? row.key_last_four : null,
    ...{ driver_id, address },
    request_id: isKey ? id.replace('aud_', 'req_') : null,
    test_mode: test_mode === 1,
    created_at: instant(created_at),
  };
}
