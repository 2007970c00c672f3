import { createService, type Service } from '../../../src/service/service.ts';
import { loadOrder } from '../../../src/storage/orders.ts';
import { batchNow, newBatch } from '../auto-dispatch/batches.ts';
import { type ScriptedCourier, startScripted } from '../couriers/scripted-courier.ts';
import { draftRoute, orderRequest, quotesOf } from '../fixture.ts';
import { type Phone, phone } from '../fleet/fleet.ts';

/** The states of an order in which money can change. */
export const targetKinds = [
  ...(['quoted', 'stored', 'simulated', 'connected', 'fleet', 'batch'] as const),
  ...(['delivered', 'disputed', 'failed', 'unsettled'] as const),
] as const;
export type TargetKind = (typeof targetKinds)[number];

/** An order in one of those states. */
export interface Target {
  order_id: string;
  route_id: string;
  quote_ids: readonly string[];
  batch_id: string;
  /** The phone of the driver on duty. */
  phone: Phone;
}

/** Two processes with one database, whose account has simulated couriers, a connected one and drivers of its own. */
export interface World {
  courier: ScriptedCourier;
  services: readonly [Service, Service];
  /** Service time in milliseconds, which an advance of the clock moves. */
  now: () => Promise<number>;
  newTarget: (kind: TargetKind) => Promise<Target>;
  /** The latest delivery of the order; empty without one. */
  deliveryOf: (target: Target) => Promise<string>;
}

const minute_ms = 60_000;
const tip = 200;

export async function makeWorld(location: string): Promise<World> {
  const lost: number[] = [];
  const script = { lost, canFind: false, isIdempotent: false, cancellation_fee: 300 };
  const courier = await startScripted(script, { location });
  const { fixture, creates } = courier;
  const client = fixture.client();
  await client.account.update({ body: { fleet: { per_delivery: 500, per_mile: 100, ask_pin: false } } });
  let onDuty = await phone(fixture, 'Sam Lee');

  const quoted = async (): Promise<Target & { quoteOf: (provider: string) => string }> => {
    const route = await draftRoute(client, [orderRequest({ tip, order_value: 3_000 })]);
    const quotes = await quotesOf(fixture, route.id);
    return {
      ...{ order_id: route.order_ids[0] ?? '', route_id: route.id, batch_id: '', phone: onDuty },
      quote_ids: quotes.map(({ id }) => id),
      quoteOf: (name) => quotes.find(({ provider }) => provider === name)?.id ?? '',
    };
  };
  const dispatched = async (provider: string): Promise<Target> => {
    const target = await quoted();
    const params = { route_id: target.route_id };
    await client.dispatches.create({ params, body: { quote_id: target.quoteOf(provider) } });
    return target;
  };
  const deliveryOf: World['deliveryOf'] = async ({ order_id }) =>
    (await fixture.storage.run((db) => loadOrder(db, order_id)))?.delivery_id ?? '';
  const delivered = async (): Promise<Target> => {
    const target = await dispatched('swiftly');
    await fixture.pass(120 * minute_ms);
    return target;
  };
  const makers: Record<TargetKind, () => Promise<Target>> = {
    quoted,
    stored: async () => {
      const { data } = await client.deliveries.create({ body: orderRequest({ tip }) });
      return { order_id: data.order_id, route_id: '', quote_ids: [], batch_id: '', phone: onDuty };
    },
    simulated: () => dispatched('swiftly'),
    connected: () => dispatched('scripted'),
    fleet: async () => {
      // A driver may have been removed, or have no room for more.
      await onDuty.tap({ kind: 'duty', on: false }).catch(() => []);
      onDuty = await phone(fixture, 'Kim Ode');
      return dispatched('fleet');
    },
    batch: async () => {
      const batch_id = await newBatch(client, [{ tip }, { tip }]);
      const { orders } = await batchNow(client, batch_id);
      await fixture.pass(5_000);
      return {
        ...{ order_id: orders[0]?.order_id ?? '', route_id: '', quote_ids: [] },
        ...{ batch_id, phone: onDuty },
      };
    },
    delivered,
    disputed: async () => {
      const target = await delivered();
      const params = { deliveryid: await deliveryOf(target) };
      await client.deliveries.dispute({ params, body: { reason: 'It never came' } });
      return target;
    },
    failed: async () => {
      await client.account.update({ body: { payment_method: { status: 'declining' } } });
      const target = await dispatched('swiftly');
      await client.account.update({ body: { payment_method: null } });
      return target;
    },
    unsettled: async () => {
      lost.push(creates.length + 1);
      const target = await dispatched('scripted');
      await fixture.pass(minute_ms);
      return target;
    },
  };
  return {
    ...{ courier, deliveryOf },
    now: async () => Date.parse((await client.clock.get()).data.now),
    services: [fixture.service, createService(fixture.config)],
    newTarget: (kind) => makers[kind](),
  };
}
