/** Answers the repeat of a request, by its idempotency key, with the first response. */
import { neverKept, Problem } from '../../contract/errors.ts';
import type { Connection, IdempotencyRow, Scope } from '../../storage/database.ts';
import {
  claimKey,
  findKey,
  type KeyClaim,
  type KeyLease,
  type KeyUse,
  keyByName,
  releaseKey,
  replaceResponse,
  storeResponse,
} from '../../storage/idempotency.ts';
import { leaseTime } from '../../storage/locks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { type Answer, errorAnswer, RetryLater, toAnswer } from './answers.ts';
import { hashKey } from './authentication.ts';
import type { CallBase, Endpoint } from './handler.ts';

/** How long a request counts as running; after that a repeat replaces it. */
const lease_ms = 30_000;

interface OnceRequest {
  service: ServiceContext;
  endpoint: Endpoint;
  key: string;
  request_id: string;
  /** The call; `again` makes its ids differ from those of an earlier use of the same key. */
  base: (again: string) => CallBase;
  scope: Scope;
  /** The parts that must be equal for a request to be a repeat. */
  fingerprint: readonly string[];
  run: (base: CallBase) => Promise<unknown>;
}

/**
 * Runs a request once per idempotency key: a repeat gets the first response, byte for byte. The response is stored in
 * the transaction of the change, so that a crash cannot separate them. Throws `idempotency_key_reuse` and
 * `idempotency_key_in_use`.
 */
export async function answerOnce(once: OnceRequest): Promise<Answer> {
  const ticket = ticketOf(once);
  const { storage, wall } = once.service;
  const before = await storage.first(keyByName, ticket.account_id, ticket.test_mode, ticket.key);
  try {
    if (before === undefined && once.endpoint.operation.acts_after_commit === true)
      return await runOnce(once, { ticket, lease: null }, once.base(''));
    const { lease, earlier } = await claimKeyFor(once.service, ticket);
    if (lease === null) throw new KeyTaken(earlier);
    // A key whose earlier use has expired must not create the same ids again.
    const again = before?.state === 'done' ? String(before.created_at) : '';
    return await runOnce(once, { ticket, lease }, once.base(again));
  } catch (fault) {
    if (fault instanceof KeyTaken) return replay(fault.earlier, ticket, wall.now());
    throw fault;
  }
}

/** An earlier request has used the key. */
class KeyTaken extends Error {
  readonly earlier: IdempotencyRow;

  constructor(earlier: IdempotencyRow) {
    super('the idempotency key was used before');
    this.earlier = earlier;
  }
}

/** Claims the key, also from a process that was killed while it ran the request. */
async function claimKeyFor({ storage, runners }: ServiceContext, ticket: KeyUse): Promise<KeyClaim> {
  const beginning = await storage.write((db) => claimKey(db, ticket));
  const { earlier } = beginning;
  if (earlier === null || runners?.isGone(earlier.runner) !== true) return beginning;
  return storage.write((db) => claimKey(db, { ...ticket, gone: earlier.runner }));
}

function ticketOf({ service, endpoint, key, scope, fingerprint }: OnceRequest): KeyUse {
  return {
    ...scope,
    key,
    operation: endpoint.operation.id,
    body_hash: hashKey(JSON.stringify(fingerprint)),
    runner: service.runners?.self ?? '',
    wall_now: leaseTime(service),
    forgets: service.mayForgetKeys(),
    lease_ms,
  };
}

/** A request's use of its key. */
interface Claim {
  ticket: KeyUse;
  /** Null if the key is claimed when the response is stored. */
  lease: KeyLease | null;
}

async function runOnce(once: OnceRequest, { ticket, ...claim }: Claim, base: CallBase): Promise<Answer> {
  const { storage } = once.service;
  const { operation } = once.endpoint;
  const keptOf = ({ status, body }: Answer) => ({ status, body: withoutSecrets(body, once.endpoint) });
  let { lease } = claim;
  let kept: string | null = null;
  /**
   * Stores the response; null if a repeat has replaced this request. If the key is not claimed yet, it is claimed with the
   * response: of the same requests at the same time, the later ones throw `KeyTaken`, and what they wrote is rolled back.
   */
  const store = async (db: Connection, answer: Answer): Promise<KeyLease | null> => {
    if (lease !== null) return (await storeResponse(db, lease, keptOf(answer))) ? lease : null;
    const claimed = await claimKey(db, ticket, keptOf(answer));
    if (claimed.lease === null) throw new KeyTaken(claimed.earlier);
    return claimed.lease;
  };
  const commit: CallBase['commit'] = async (work, isolation) => {
    const [result, used] = await storage.transaction(async (transaction) => {
      const made = await work(transaction);
      const own = await store(transaction, toAnswer(made, operation));
      if (own === null) throw replacedError();
      return [made, own] as const;
    }, isolation);
    lease = used;
    kept = toAnswer(result, operation).body;
    return result;
  };
  const replace = async (answer: Answer, own: KeyLease) =>
    storage.write((db) => replaceResponse(db, own, keptOf(answer)));
  /** Frees the key of a request without a response; false if a repeat has replaced it. */
  const release = async (): Promise<boolean> => {
    const own = lease;
    if (own !== null) return storage.write((db) => releaseKey(db, own));
    // A repeat at the same time makes the same ids: the later one fails with a conflict of ids.
    const earlier = await storage.write((db) => findKey(db, ticket));
    if (earlier !== undefined) throw new KeyTaken(earlier);
    return true;
  };
  try {
    const answer = toAnswer(await once.run({ ...base, commit }), operation);
    if (kept === null) await storage.write((db) => store(db, answer));
    // The final response differs from the one stored at the commit and replaces it.
    else if (kept !== answer.body && lease !== null) await replace(answer, lease);
    return answer;
  } catch (fault) {
    if (fault instanceof KeyTaken) throw fault;
    const refusal = isKept(fault) ? errorAnswer(fault, once.request_id, () => {}) : null;
    const isOurs =
      refusal === null ? await release() : (await storage.write((db) => store(db, refusal))) !== null;
    // The error is irrelevant, because a repeat has taken over.
    if (!isOurs && kept === null) throw replacedError();
    if (refusal === null) throw fault;
    return refusal;
  }
}

/** A repeat has replaced this request, because it took too long or seemed dead: its response is discarded. */
function replacedError(): RetryLater {
  const message = 'Another request with this idempotency key has replaced this one.';
  return new RetryLater('idempotency_key_in_use', message, 1);
}

/** Errors of an operation are stored as responses, unless a repeat may not meet them again. */
function isKept(fault: unknown): boolean {
  return fault instanceof Problem && !neverKept.includes(fault.code);
}

function replay(earlier: IdempotencyRow, ticket: KeyUse, wall_now: number): Answer {
  if (earlier.operation !== ticket.operation || earlier.body_hash !== ticket.body_hash) {
    const message = 'This idempotency key was used for a different request before.';
    throw new Problem('idempotency_key_reuse', message);
  }
  if (earlier.status === null || earlier.body === null) {
    const message = 'The first request with this idempotency key is still in progress.';
    // The lease may come from a different clock.
    const left_ms = Math.min(earlier.leased_until - wall_now, lease_ms);
    throw new RetryLater('idempotency_key_in_use', message, Math.max(1, Math.ceil(left_ms / 1000)));
  }
  return { status: earlier.status, body: earlier.body, headers: { 'idempotent-replayed': 'true' } };
}

/** Removes the fields that are shown once: they are null in a repeated response. */
function withoutSecrets(body: string, { operation }: Endpoint): string {
  const secrets = operation.secrets ?? [];
  if (secrets.length === 0) return body;
  return JSON.stringify(JSON.parse(body, (name, value) => (secrets.includes(name) ? null : value)));
}
