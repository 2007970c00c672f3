import type { CourierOrder, CourierSettings } from '../../../src/providers/courier.ts';
import { uberDirect as adapter } from '../../../src/providers/uber-direct/adapter.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { type UberDirect, uberDirect } from '../../fakes/uber-direct/server.ts';
import type { Push } from '../../fakes/uber-direct/webhooks.ts';
import { courierOrder } from '../courier-orders.ts';
import { account } from './sample-requests.ts';

export const start = Date.UTC(2026, 10, 22, 18);

/** The adapter with a fake Uber Direct of its own, and a clock that both share. */
export async function connected({
  live = false,
  settings = {},
}: {
  live?: boolean;
  settings?: CourierSettings;
} = {}) {
  const clock = { now: start };
  const fake = await uberDirect({ ...account, live_mode: live }, () => clock.now);
  const { client_id, client_secret, customer_id, signing_key } = account;
  const given = { client_id, client_secret, customer_id, webhook_signing_key: signing_key, ...settings };
  const origins = { 'https://api.uber.com': fake.origin, 'https://auth.uber.com': fake.origin };
  const ports = portsTo(origins, () => clock.now, !live);
  const connect = (changes: CourierSettings = {}) => adapter.connect({ ...given, ...changes }, ports);
  const courier = connect();
  const parts = { clock, fake, connect, courier };
  return { ...parts, ...shortcuts(parts) };
}

type Parts = { clock: { now: number }; fake: UberDirect; courier: ReturnType<typeof adapter.connect> };

function shortcuts({ clock, fake, courier }: Parts) {
  const quote = (order: Partial<CourierOrder> = {}) =>
    courier.quote({ key: 'q_1', order: courierOrder(order), now: clock.now });
  const create = (order: Partial<CourierOrder> = {}, quote_reference: string | null = null, key = 'd_1') =>
    courier.create({ key, quote_reference, order: courierOrder(order), now: clock.now });
  return {
    quote,
    create,
    /** Books a delivery and gives the courier's ID of it. */
    booked: async (order: Partial<CourierOrder> = {}, key = 'd_1'): Promise<string> => {
      const answer = await create(order, null, key);
      if (answer.kind !== 'accepted') throw new Error(answer.reason);
      return answer.reference;
    },
    /** Lets the courier go a number of steps, a minute each. */
    step: async (id: string, times: number) => {
      for (let step = 0; step < times; step++) {
        clock.now += 60_000;
        await fake.step(id);
      }
    },
    /** A webhook as the service hands it to the adapter. */
    receive: ({ headers, body }: Push) =>
      courier.receive?.({ headers, body: Buffer.from(body), now: clock.now }) ?? null,
  };
}

export type Connected = Awaited<ReturnType<typeof connected>>;
