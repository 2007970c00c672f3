import type { Client } from '../../../client/client.ts';
import { pages } from '../../../client/pages.ts';
import { max_wrong_pins } from '../../../domain/handover-pins.ts';
import { invocation } from '../../kit/result/invocation.ts';
import { type Found, firstRecords, type Problem } from './problem.ts';

/** Lists deliveries of own drivers whose handover wrong PINs have locked. */
export async function driverProblems(client: Client): Promise<Found> {
  const { records: drivers, isCut } = await firstRecords(pages(client.drivers.list, { limit: 100 }));
  const problems = drivers.flatMap(({ name, deliveries }) =>
    deliveries
      .filter(({ pin_locked }) => pin_locked)
      .map(({ id, external_order_ref }): Problem => {
        const next = { ...invocation('deliveries unlock', [id]), when: 'let the driver try again' };
        const what = `is locked after ${max_wrong_pins} wrong PINs at ${name}`;
        return { kind: 'locked', id, external_order_ref, what, since: null, zone: null, next };
      }),
  );
  return { problems, isCut };
}
