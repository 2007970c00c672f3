import type { sendTaps } from '../../contract/pages.ts';
import { whileCollecting } from '../../storage/collected-inserts.ts';
import type { Connection } from '../../storage/database.ts';
import { publicUrlOfAccount } from '../accounts/public-url.ts';
import { type TapResult, takePosition, takeTap } from '../fleet/take-taps.ts';
import type { Handler } from '../http/handler.ts';
import { createAuditTrail } from '../runtime/audit-trail.ts';
import { parseInstant } from '../runtime/timestamps.ts';
import { runDueTasks } from '../tasks/run-due-tasks.ts';
import { driverOfLink } from './page-handlers.ts';

/**
 * Applies the taps of a phone in their order, each in a transaction of its own. The phone's clock may be wrong: the
 * time of a tap is how long before it was sent.
 */
export const receiveTaps: Handler<typeof sendTaps> = async ({ service, params, body, client_address }) => {
  const { id, account_id, test_mode } = await driverOfLink(service, params.token);
  const owner = service.inMode(test_mode);
  await runDueTasks(owner);
  const chance = await owner.chance();
  const now = owner.clock.now();
  const sent_at = parseInstant(body.sent_at) ?? now;
  const timeOf = (at: string) => Math.min(now, now - (sent_at - (parseInstant(at) ?? sent_at)));
  const contextOf = (db: Connection) => ({
    ...{ db, chance, now, providers: owner.providers },
  });
  const base = await owner.storage.read((db) => publicUrlOfAccount(owner, db, { account_id, test_mode }));
  const { position } = body;
  if (position !== undefined) {
    const { lat, lng, at } = position;
    const waypoint = { lat, lng, at: timeOf(at) };
    await owner.storage.transaction((db) => takePosition(contextOf(db), id, waypoint));
  }
  const author = { actor: 'driver', driver_id: id, operation: 'SendTaps', address: client_address } as const;
  const recordChange = createAuditTrail(service.wall, author);
  const taps: TapResult[] = [];
  for (const tap of body.taps) {
    const [photo, signature] = [await owner.secrets.base62(22), await owner.secrets.base62(22)];
    const received = {
      ...{ tap, occurred_at: timeOf(tap.at), picture_ids: { photo, signature } },
      urlOf: (picture: string) => `${base}/proofs/${picture}`,
    };
    const take = (db: Connection) => takeTap({ ...contextOf(db), recordChange }, id, received);
    taps.push(await owner.storage.transaction((db) => whileCollecting(db, () => take(db))));
  }
  owner.wake();
  return { object: 'taps' as const, taps };
};
