import { Problem } from '../../contract/errors.ts';
import { courier_report } from '../../contract/vocabulary.ts';
import type { Provider } from '../../providers/port.ts';
import { findCourierByToken, writePush } from '../../storage/couriers.ts';
import type { CourierRow } from '../../storage/database.ts';
import type { Answer } from '../http/answers.ts';
import { createAuditTrail } from '../http/audit.ts';
import type { CourierPush, PushAddress } from '../http/fetch.ts';
import type { ServiceContext, SharedContext } from '../runtime/context.ts';
import { applyCourierReports } from './courier-reports.ts';

/** The largest request of a courier: a picture of the handover may be in it. */
const max_bytes = 4 * 1024 * 1024;
const push_precision_ms = 60_000;

/** Finds the address of a connection, to which its courier sends requests: `POST /couriers/{push_token}`. */
export async function findPushAddress(shared: SharedContext, token: string): Promise<PushAddress> {
  const row = await shared.storage.run((db) => findCourierByToken(db, token));
  if (row === undefined) throw new Problem('record_not_found', 'There is no courier at this address.');
  const service = shared.inMode(row.test_mode);
  const provider = service.providers.find(({ name }) => name === row.name);
  const reporting = provider?.reporting;
  if (reporting === undefined) {
    throw new Problem('record_not_found', `The courier ${row.name} sends no reports.`);
  }
  return { owner: row, max_bytes, receive: (push) => receivePush(service, { row, reporting }, push) };
}

/**
 * Receives a courier's request. It needs no key; its signature covers the body as received. Reports about deliveries
 * that are not known here are accepted and ignored. Throws `unauthorized` for a refused request.
 */
async function receivePush(
  service: ServiceContext,
  { row, reporting }: { row: CourierRow; reporting: NonNullable<Provider['reporting']> },
  { headers, body: raw, client_address }: CourierPush,
): Promise<Answer> {
  const scope = { account_id: row.account_id, test_mode: row.test_mode === 1 };
  const push = { headers, body: Buffer.from(raw), now: service.wall.now() };
  const answer = await reporting.receive(scope, push);
  if (answer.kind === 'refused')
    throw new Problem('unauthorized', `The request was refused: ${answer.reason}.`);
  await service.clock.refresh();
  await notePush(service, row);
  const chance = await service.chance();
  const author = { actor: 'courier', actor_name: row.name, operation: courier_report } as const;
  const recordChange = createAuditTrail(service.wall, { ...author, address: client_address });
  // Read committed: each report locks the delivery that it is about. A courier of one account reports many a second.
  const problems = await service.storage.transaction(async (db) => {
    const now = service.clock.now();
    const context = { db, chance, now, providers: service.providers };
    const { account_id, test_mode, name } = row;
    return applyCourierReports(context, {
      scope: { account_id, test_mode },
      provider: name,
      reports: answer.reports,
      raw,
      recordChange,
    });
  }, 'read committed');
  for (const problem of problems) service.onFault?.(new Error(problem), null);
  service.changes.notify();
  service.wakeup.notify();
  return { status: 200, body: '{}', headers: {} };
}

/** Writes when a courier last reported, at most once a minute: all of its reports would wait for the one row. */
async function notePush({ storage, clock }: ServiceContext, courier: CourierRow): Promise<void> {
  const now = clock.now();
  const unless_after = now - push_precision_ms;
  if ((courier.last_push_at ?? 0) > unless_after) return;
  await storage.write((db) => writePush(db, courier, { now, unless_after }));
}
