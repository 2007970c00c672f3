import type { AuditEntry, listAuditEntries } from '../../contract/audit.ts';
import { Problem } from '../../contract/errors.ts';
import { isAudited, type ServedOperation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { nearNames } from '../../domain/near-names.ts';
import { listAuditEntries as listRows } from '../../storage/audit.ts';
import type { AuditRow } from '../../storage/database.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { instant } from '../runtime/timestamps.ts';

export const pageOfAuditEntries: Handler<typeof listAuditEntries> = async ({ service, caller, query }) => {
  const { key_id, operation, record_id } = query;
  if (operation !== undefined) requireAudited(operation);
  const wanted = { ...caller.scope, ...pageRequest(query, 'aud'), key_id, operation, record_id };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return pageOf(page, viewOf);
};

/** Throws `invalid_request` for an operation that leaves no entries. */
function requireAudited(operation: string): void {
  const choices = Object.values<Readonly<Record<string, ServedOperation>>>(operations).flatMap((verbs) =>
    Object.values(verbs)
      .filter(isAudited)
      .map(({ id }) => id),
  );
  if (choices.includes(operation)) return;
  const [near] = nearNames(operation, choices);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const message = `must be an operation that changes something, such as CancelDelivery${hint}`;
  const fault = { path: 'operation', message };
  throw new Problem('invalid_request', `Unknown operation ${operation}.`, [fault], { choices });
}

function viewOf({ id, test_mode, created_at, ...row }: AuditRow): AuditEntry {
  const { operation, record_id, key_id, key_last_four, address } = row;
  return {
    ...{ id, object: 'audit_entry', operation, record_id, key_id, key_last_four, address },
    request_id: id.replace('aud_', 'req_'),
    test_mode: test_mode === 1,
    created_at: instant(created_at),
  };
}
