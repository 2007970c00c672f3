/**
 * Executes a request whose caller and body are known: it builds the call of the handler (`CallBase`), and runs it with its
 * audit entry (`audit.ts`), once for each idempotency key (`idempotency.ts`). The remarks of the handler become a header.
 */
import { isAudited, type ReceivedRequest } from '../../contract/operation.ts';
import { isFields } from '../../domain/fields.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createIds, exactPart, takeRandomPart } from '../runtime/ids.ts';
import { seededChance } from '../runtime/random.ts';
import { type Answer, invalidField, toAnswer } from './answers.ts';
import { type Callers, holdsPermission, nobody } from './authentication.ts';
import type { CallBase, Caller, Endpoint } from './handler.ts';

/** A request as it arrives. */
export interface Arrival {
  /** Ids of the same millisecond sort in the order of their requests. */
  request_id: string;
  /** Wall time. */
  received_at: number;
}

/** A request whose caller is known and whose body was read. */
interface AcceptedRequest extends Arrival {
  request: ReceivedRequest;
  service: ServiceContext;
  actIn: CallBase['actIn'];
  callers: Callers;
  caller: Caller;
  endpoint: Endpoint;
  params: Record<string, string>;
  body: unknown;
}

type Run = (base: CallBase) => Promise<unknown>;

/** Runs an operation, or answers with the stored answer of an earlier request with its idempotency key. */
export async function executeRequest(accepted: AcceptedRequest, run: Run): Promise<Answer> {
  const { service, caller, endpoint, request, request_id } = accepted;
  const audited = await withAuditEntry(accepted, run);
  const remarks = new Set<string>();
  const base = await callBase(accepted, remarks);
  // Stored answers belong to an account.
  const key = caller === nobody ? null : idempotencyKey(request);
  if (key === null) return withRemarks(toAnswer(await audited(base('')), endpoint.operation), remarks);
  const { answerOnce } = await import('./idempotency.ts');
  const { scope } = caller;
  const fingerprint = fingerprintOf(accepted);
  const once = { service, endpoint, request_id, key, base, scope, fingerprint, run: audited };
  return withRemarks(await answerOnce(once), remarks);
}

/** The most characters of the `x-remarks` header: clients refuse longer ones. */
const max_remarks_length = 4000;

/** Adds the remarks as a header: a JSON array of texts, in ASCII, of which the last one counts those that did not fit. */
function withRemarks(answer: Answer, remarks: ReadonlySet<string>): Answer {
  if (remarks.size === 0) return answer;
  const shown: string[] = [];
  let length = 0;
  for (const remark of remarks) {
    const text = JSON.stringify(remark).replace(
      /[^ -~]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    length += text.length + 1;
    if (length > max_remarks_length) break;
    shown.push(text);
  }
  const omitted = remarks.size - shown.length;
  const more = omitted === 0 ? [] : [JSON.stringify(`and ${omitted} more, which POST /v2/places says`)];
  return { ...answer, headers: { ...answer.headers, 'x-remarks': `[${[...shown, ...more].join(',')}]` } };
}

async function withAuditEntry(accepted: AcceptedRequest, run: Run): Promise<Run> {
  const { endpoint, caller, request, params, body, request_id, received_at } = accepted;
  const { operation } = endpoint;
  // Handlers of links write entries of their own, because only they know the account of the record.
  if (!isAudited(operation) || caller === nobody) return run;
  const { withAudit } = await import('./audit.ts');
  const { client_address } = request;
  return withAudit({ operation, caller, params, body, request_id, received_at, client_address }, run);
}

/** The parts of a request that must be equal for it to be a repeat. */
function fingerprintOf({ params, body, request }: AcceptedRequest): string[] {
  return [JSON.stringify(params), JSON.stringify(body, sortFields), request.headers['x-simulation'] ?? ''];
}

/** Sorts the fields of objects while they are written as JSON: their order has no meaning. */
function sortFields(_name: string, value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Makes the call of a request; `earlier_use` makes its ids differ from those of an expired use of the same key. */
async function callBase(
  { service, actIn, callers, caller, request, request_id }: AcceptedRequest,
  remarks: Set<string>,
): Promise<(earlier_use: string) => CallBase> {
  const now = service.clock.now();
  const idempotency_key = idempotencyKey(request);
  const request_key = idempotency_key ?? request_id;
  // Only writes of an account create ids, and only ids need the seed.
  const isRead = request.method === 'GET' || caller === nobody;
  const chance = isRead ? seededChance(request_id) : await service.chance();
  const number = isRead ? 0 : await service.requestOrder(now);
  const count = isRead || idempotency_key !== null ? null : await service.countRequest(caller.scope);
  const { account_id, test_mode } = caller.scope;
  const origin = [
    takeRandomPart(account_id),
    String(test_mode),
    originPart({ idempotency_key, count, request_id }),
  ];
  return (earlier_use) => ({
    service,
    caller,
    now,
    request_key,
    simulation: request.headers['x-simulation'] ?? null,
    last_event_id: request.headers['last-event-id'] || null,
    accept_language: request.headers['accept-language'] ?? null,
    client_address: request.client_address ?? null,
    remarks,
    actIn,
    isAllowed: () => holdsPermission(callers, request.headers['x-api-key'], caller.permission),
    ...createIds(chance, { at: now, request: number }, [...origin, earlier_use]),
    commit: service.storage.transaction,
  });
}

/**
 * The part of ids that tells a request from others: its idempotency key, otherwise its number, which is null if the seed
 * was not chosen. A key never gives the part of a number: see `exactPart`.
 */
function originPart(request: {
  idempotency_key: string | null;
  count: number | null;
  request_id: string;
}): string {
  const { idempotency_key, count, request_id } = request;
  if (idempotency_key !== null) return exactPart(idempotency_key);
  return count === null ? request_id : `=${count}`;
}

/** In characters. */
const max_key_length = 155;

/** The idempotency key of a POST, or null. */
function idempotencyKey(request: ReceivedRequest): string | null {
  if (request.method !== 'POST') return null;
  const key = request.headers['idempotency-key'] ?? request.headers['x-idempotency-key'];
  if (key === undefined) return null;
  // A client that forgot to fill it in would repeat its request without protection.
  if (key.trim() === '')
    throw invalidField('Idempotency-Key', 'must not be empty', 'The Idempotency-Key header is empty.');
  if (key.length <= max_key_length) return key;
  const message = `The Idempotency-Key header is longer than ${max_key_length} characters.`;
  throw invalidField('Idempotency-Key', `must not have more than ${max_key_length} characters`, message);
}
