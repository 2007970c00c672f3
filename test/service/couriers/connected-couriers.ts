import { vi } from 'vitest';
import type { CourierSettings } from '../../../src/providers/courier.ts';
import { courierProviders } from '../../../src/providers/directory.ts';
import { createCourierBookings } from '../../../src/service/runtime/courier-connections.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { draftRoute, type Fixture, orderRequest, startFixture } from '../fixture.ts';

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

/** Quotes and dispatches a new route. */
export async function dispatchConnected(fixture: Fixture) {
  const client = fixture.client();
  const phones = { pickup_phone_number: '+13125557701', dropoff_phone_number: '+13125557702' };
  const { id: route_id } = await draftRoute(client, [orderRequest({ ...phones, tip: 200 })]);
  const params = { route_id };
  await client.quotes.request({ params });
  // The courier answers over a real connection, which no tick waits for.
  const quotes = await vi.waitFor(async () => {
    await fixture.pass(0);
    const { data } = await client.quotes.list({ params });
    if (data.status === 'PENDING') throw new Error('the courier has not answered');
    return data;
  });
  const quote = quotes.data?.[0];
  if (quote === undefined) throw new Error(`The courier gave no quote: ${JSON.stringify(quotes)}`);
  const { data } = await client.dispatches.create({ params, body: { quote_id: quote.id } });
  return { quote, id: data.deliveries[0]?.id ?? '' };
}
