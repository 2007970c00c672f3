import { expect, onTestFinished, vi } from 'vitest';
import type { CourierSettings } from '../../../src/providers/courier.ts';
import { courierProviders } from '../../../src/providers/directory.ts';
import { createCourierBookings } from '../../../src/service/runtime/system.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { doorDashDrive } from '../../fakes/doordash-drive/server.ts';
import { draftRoute, type Fixture, orderRequest, start, startFixture } from '../fixture.ts';

/** A service whose account has connected a courier in test mode; the requests to couriers go to fakes. */
export async function startConnected(
  name: string,
  settings: CourierSettings,
  origins: Record<string, string>,
) {
  const { http } = portsTo(origins);
  const fixture = await startFixture({
    parts: { courier_http: () => http },
    providersOf: ({ connections, storage, clock, wall }) =>
      courierProviders({
        settings: connections.settings,
        bookings: createCourierBookings(storage, clock),
        http: () => http,
        now: wall.now,
      }),
  });
  const { data } = await fixture.client().couriers.connect({ params: { name }, body: { settings } });
  return { fixture, push_path: new URL(data.push_url ?? '').pathname };
}

/** The quotes of a route, requested now. */
async function quotesNow(fixture: Fixture, route_id: string) {
  const client = fixture.client();
  const params = { route_id };
  await client.quotes.request({ params });
  // The courier answers over a real connection, which no tick waits for.
  return vi.waitFor(async () => {
    await fixture.pass(0);
    const { data } = await client.quotes.list({ params });
    if (data.status === 'PENDING') throw new Error('the courier has not answered');
    return data;
  }, 300_000);
}

/** Quotes and dispatches a new route; `moved_to` is another time that its order gets after its first quotes. */
export async function dispatchConnected(fixture: Fixture, moved_to?: string) {
  const client = fixture.client();
  const phones = { pickup_phone_number: '+13125557701', dropoff_phone_number: '+13125557702' };
  const { id: route_id, order_ids } = await draftRoute(client, [orderRequest({ ...phones, tip: 200 })]);
  const params = { route_id };
  let quotes = await quotesNow(fixture, route_id);
  if (moved_to !== undefined) {
    const order = { order_id: order_ids[0] ?? '' };
    await client.orders.update({ params: order, body: { pickup_at: moved_to } });
    quotes = await quotesNow(fixture, route_id);
  }
  const quote = quotes.data?.[0];
  if (quote === undefined) throw new Error(`The courier gave no quote: ${JSON.stringify(quotes)}`);
  const { data } = await client.dispatches.create({ params, body: { quote_id: quote.id } });
  return { quote, id: data.deliveries[0]?.id ?? '' };
}

/** A service whose account has connected DoorDash. */
export async function startDoorDash() {
  let calls = 0;
  // Tokens are dated by the wall clock of the service, which stands still: each call is a little later.
  const fake = await doorDashDrive({ now: () => start + 20 * calls++ });
  onTestFinished(fake.close);
  const authorization = 'Basic c2VjcmV0';
  const settings = { ...fake.credentials, environment: 'sandbox', webhook_authorization: authorization };
  const origins = { 'https://openapi.doordash.com': fake.url };
  const { fixture, push_path } = await startConnected('doordash-drive', settings, origins);
  /** The latest quote or delivery there, with its ID. */
  const latest = () => fake.deliveries.list().at(-1) ?? ['', undefined];
  return { ...fixture, fake, push_path, authorization, latest };
}

/** A delivery by DoorDash, and what it is told about it. */
export async function dispatchedByDoorDash(moved_to?: string) {
  const { fake, push_path, authorization, latest, ...fixture } = await startDoorDash();
  const { quote, id } = await dispatchConnected(fixture, moved_to);
  const [id_there, booked] = latest();
  const send = async (event: object | string) => {
    const body = typeof event === 'string' ? event : JSON.stringify(event);
    const headers = { authorization, 'x-api-key': '' };
    expect((await fixture.send('POST', push_path, { body, headers })).status).toBe(200);
  };
  const step = async (...statuses: Parameters<typeof fake.step>[1][]) => {
    for (const status of statuses) await send((await fake.step(id_there, status)) ?? '');
  };
  return { fixture, quote, id, id_there, booked, step, send };
}
