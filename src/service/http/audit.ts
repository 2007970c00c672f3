/**
 * Writes audit entries, each in the transaction of its change: of requests with an API key (`withAudit`), and of changes
 * by a link, a courier or the operator (`createAuditTrail`).
 */
import type { ServedOperation } from '../../contract/operation.ts';
import { rescheduled_reason } from '../../domain/status-words.ts';
import { insertAuditEntry } from '../../storage/accounts.ts';
import type { AuditRow, Connection, Scope } from '../../storage/database.ts';
import { newRequestId } from '../runtime/ids.ts';
import type { Clock } from '../runtime/time.ts';
import type { CallBase, Caller } from './handler.ts';

type Run = (base: CallBase) => Promise<unknown>;

/** A request that may change something. */
interface AuditedRequest {
  operation: ServedOperation;
  caller: Caller;
  request_id: string;
  /** Wall time of its arrival: the time in its id. */
  received_at: number;
  params: Readonly<Record<string, string>>;
  body: unknown;
  /** Undefined if client and service are in one process. */
  client_address: string | undefined;
}

/**
 * Records the change of a request in its transaction, and inserts the entry together with the rows of the request. A
 * request that fails or is repeated leaves no entry.
 */
export function withAudit(request: AuditedRequest, run: Run): Run {
  return (base) =>
    run({
      ...base,
      commit: (work, isolation) =>
        base.commit(async (transaction) => {
          const made = await work(transaction);
          await insertAuditEntry(transaction, entryOf(request, made));
          return made;
        }, isolation),
    });
}

function entryOf(request: AuditedRequest, made: unknown): AuditRow {
  const { operation, caller, request_id, received_at, params, client_address } = request;
  const [named = null] = Object.values(params);
  const isAnswer = operation.is_answer_audited === true || named === null;
  return {
    id: request_id.replace('req_', 'aud_'),
    ...caller.scope,
    actor: 'key',
    actor_name: null,
    driver_id: null,
    key_id: caller.key_id,
    key_last_four: caller.key_last_four,
    operation: operation.id,
    record_id: isAnswer ? idOf(made) : named,
    detail: isAnswer && named !== null ? named : changesOf(request),
    address: client_address ?? null,
    created_at: received_at,
  };
}

/**
 * The names of the fields that a request has changed: `dropoff_notes, promised_at=null`. Values are left out, as they may
 * be personal data, except null, a boolean, a time, and the reason that says that a cancellation is part of a reschedule.
 * Of a creation, only the number of records: `3 orders`.
 */
function changesOf({ operation, body, params }: AuditedRequest): string | null {
  if (operation.body === undefined) return null;
  const { properties } = operation.body;
  const fields = Object.entries(Object(body)).filter(([name]) => Object.hasOwn(properties, name));
  const isCreation = operation.method === 'POST' && Object.keys(params).length === 0;
  const changes = fields.flatMap(([name, value]) => {
    if (!isCreation) return isImpersonal(value) ? `${name}=${value}` : name;
    return Array.isArray(value) && value.length > 1 ? `${value.length} ${name}` : [];
  });
  return changes.length === 0 ? null : changes.join(', ');
}

/** Whether a value cannot be personal data; a time is, for example, `2026-05-01T09:30:00Z`. */
function isImpersonal(value: unknown): boolean {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,16}(?:Z|[+-]\d\d:\d\d)$/.test(value);
  return isTime || value === null || value === rescheduled_reason || typeof value === 'boolean';
}

/** The id of the record that a request has made or changed, by its answer. */
function idOf(made: unknown): string | null {
  const fields = new Map(Object.entries(Object(made)));
  for (const name of ['id', 'batch_id', 'account_id']) {
    const id = fields.get(name);
    if (typeof id === 'string') return id;
  }
  return null;
}

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

/** Creates the writer of one author's entries, which are ordered as they are written. */
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
