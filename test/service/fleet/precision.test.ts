import { expect, test } from 'vitest';
import { deliveryOf } from '../delivery-runs.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf, startFixture } from '../fixture.ts';
import { type Phone, phone, underWay } from './fleet.ts';

const minute = 60_000;
const exactPickup = { pickup_latitude: 41.8927, pickup_longitude: -87.6268 };
const exactDropoff = { dropoff_latitude: 41.8789, dropoff_longitude: -87.6359 };

async function detailed(fixture: Fixture, deliveryid: string) {
  return (await fixture.client().deliveries.getDetailed({ params: { deliveryid } })).data;
}

/** The text of the recipient's page and of the driver's. */
async function pagesOf(fixture: Fixture, ana: Phone, id: string): Promise<string[]> {
  const { tracking_url } = await deliveryOf(fixture, id);
  const path = new URL(tracking_url).pathname;
  const headers = { accept: 'text/html' };
  const tracking = await fixture.service.fetch({ method: 'GET', path, headers, body: '' });
  return [tracking.body, await ana.page()].map((page) => page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '));
}

const window = /\d+:[0-5][05] [AP]M to \d+:[0-5][05] [AP]M/;

// Who reads a minute trusts it: it is shown only if both ends are known.
test.each([
  ['both ends known by ZIP code', {}, 'zip', 'zip'],
  ['the dropoff known by ZIP code', exactPickup, 'zip', 'zip'],
  ['the pickup known by ZIP code', exactDropoff, 'zip', null],
  ['both ends known', { ...exactPickup, ...exactDropoff }, null, null],
] as const)('people read a window where the time is rough: %s', async (_, known, before, after) => {
  const { fixture, ana, id } = await underWay({ requests: [orderRequest(known)] });
  for (const [kinds, precision] of [
    [['start_pickup'], before],
    [['arrive_pickup', 'pick_up', 'start_dropoff'], after],
  ] as const) {
    for (const kind of kinds) await ana.tap({ kind, delivery_ids: [id] });
    const { dropoffs, details } = await detailed(fixture, id);
    expect(details.eta_precision).toBe(precision);
    // Programs keep the estimate.
    expect(Date.parse(dropoffs[0]?.dropoff_eta ?? '')).toBeGreaterThan(fixture.now());
    for (const page of await pagesOf(fixture, ana, id)) {
      const expected = /(?:Estimated arrival|expected) (\d.{0,40})/.exec(page)?.[1] ?? '';
      if (precision === null) expect(expected).not.toMatch(window);
      else expect(expected).toMatch(window);
    }
  }
  const { data } = await fixture.client().events.list({ query: { delivery_id: id, limit: 1 } });
  expect(data.data[0]?.details?.eta_precision ?? null).toBe(after);
});

test.each([
  ['both ends known by ZIP code', {}, 'zip'],
  ['the pickup known by ZIP code', exactDropoff, 'zip'],
  ['both ends known', { ...exactPickup, ...exactDropoff }, null],
] as const)('a quote says how rough its times are: %s', async (_, known, precision) => {
  const fixture = await startFixture();
  await phone(fixture, 'Ana');
  const { id } = await draftRoute(fixture.client(), [orderRequest(known)]);
  const said = (await quotesOf(fixture, id)).map((quote) => [quote.provider, quote.eta_precision]);
  expect(said).toContainEqual(['fleet', precision]);
  expect(said).toContainEqual(['swiftly', undefined]);
});

test.each([
  ['known by ZIP code', {}, false],
  ['known', { ...exactPickup, ...exactDropoff }, true],
] as const)(
  'a forecast makes late only where the places are %s, a missed promise always',
  async (_, known, isLate) => {
    const { fixture, ana, id } = await underWay({ requests: [orderRequest(known)] });
    const lateNow = async () => {
      const { data } = await fixture.client().deliveries.list({ query: { late: true } });
      const { details, dropoffs } = await detailed(fixture, id);
      const isListed = data.data.some((each) => each.id === id);
      expect(details.is_late).toBe(isListed);
      return { isListed, promised_at: details.promised_at ?? '', eta: dropoffs[0]?.dropoff_eta ?? '' };
    };
    expect((await lateNow()).isListed).toBe(false);
    await ana.at(41.7, -87.9);
    await ana.tap({ kind: 'start_pickup', delivery_ids: [id] });
    const forecast = await lateNow();
    expect(Date.parse(forecast.eta) - Date.parse(forecast.promised_at)).toBeGreaterThan(10 * minute);
    expect(forecast.isListed).toBe(isLate);
    await fixture.pass(Date.parse(forecast.promised_at) - fixture.now() + 5 * minute + 1000);
    expect((await lateNow()).isListed).toBe(true);
  },
);
