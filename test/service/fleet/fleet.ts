import type { OrderRequest } from '../../../src/contract/orders.ts';
import type { Tap } from '../../../src/contract/pages.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { dispatchRoute, type Fixture, orderRequest, startFixture } from '../fixture.ts';

/** A driver's page, as a phone uses it. */
export interface Phone {
  id: string;
  token: string;
  /** Sends taps, made now unless they say otherwise; returns their outcomes. */
  tap: (...taps: (Partial<Tap> & Pick<Tap, 'kind'>)[]) => Promise<string[]>;
  page: () => Promise<string>;
  /** The id of the offer on the page; null without one. */
  offer: () => Promise<string | null>;
  at: (lat: number, lng: number) => Promise<void>;
}

let taps = 0;

/** A driver on duty with a phone. */
export async function phone(
  fixture: Fixture,
  name: string,
  { key = fixture.keys.test, vehicle_type = 'car' as const, duty = true } = {},
): Promise<Phone> {
  const body = { name, phone_number: '+13125550133', vehicle_type };
  const { data } = await fixture.client(key).drivers.create({ body });
  const token = (data.link ?? '').split('/').at(-1) ?? '';
  const post = async (content: object) => {
    const answer = await fixture.service.fetch({
      ...{ method: 'POST', path: `/drive/${token}/taps`, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ sent_at: new Date(fixture.now()).toISOString(), taps: [], ...content }),
    });
    const parsed: { taps: { outcome: string }[] } = JSON.parse(answer.body);
    if (answer.status !== 200) throw new Error(answer.body);
    return parsed.taps.map(({ outcome }) => outcome);
  };
  const page = async () => {
    const headers = { accept: 'text/html' };
    return (await fixture.service.fetch({ method: 'GET', path: `/drive/${token}`, headers, body: '' })).body;
  };
  const phone: Phone = {
    ...{ id: data.id, token, page },
    tap: (...given) => {
      const at = new Date(fixture.now()).toISOString();
      return post({ taps: given.map((tap) => ({ id: `tap-${++taps}`, at, ...tap })) });
    },
    offer: async () => /data-offers="(dsp_[^" ]+)/.exec(await page())?.[1] ?? null,
    at: async (lat, lng) => {
      await post({ position: { lat, lng, at: new Date(fixture.now()).toISOString() } });
    },
  };
  if (duty) await phone.tap({ kind: 'duty', on: true });
  return phone;
}

/** The stops on a driver's page in their order, each with its deliveries. */
export async function stopsOn({ page }: Phone): Promise<{ kind: string; ids: string[] }[]> {
  const [, ...cards] = (await page()).split('<li class="card stop');
  return cards.map((card) => ({
    kind: /data-kind="(\w+)"/.exec(card)?.[1] ?? '',
    ids: [...card.matchAll(/data-id="([^"]*)"/g)].map(([, id = '']) => id),
  }));
}

/** A route of new orders, dispatched to the fleet. */
export function dispatchToFleet(
  fixture: Fixture,
  { key, ...options }: { requests?: OrderRequest[]; key?: string; driver_id?: string } = {},
) {
  return dispatchRoute(fixture, { ...options, client: fixture.client(key), provider: 'fleet' });
}

/** Orders of so many recipients in one building. */
export function neighbors(count: number) {
  return Array.from({ length: count }, (_, index) =>
    orderRequest({ external_order_ref: `#${index}`, dropoff_unit: `Apt ${index}` }),
  );
}

/** A driver with a route that is dispatched to her; its deliveries are in the order of the requests. */
export async function underWay({
  requests = [orderRequest()],
  ...fleet
}: {
  requests?: ReturnType<typeof orderRequest>[];
  ask_pin?: boolean;
  share_phone?: boolean;
  per_delivery?: number;
} = {}) {
  const fixture = await startFixture();
  const settings = { per_delivery: 0, per_mile: 0, ask_pin: false, share_phone: true, ...fleet };
  await fixture.client().account.update({ body: { fleet: settings } });
  const ana = await phone(fixture, 'Ana');
  const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id: ana.id });
  const ids = deliveries.map(({ id }) => id);
  const [id = ''] = ids;
  return { fixture, ana, ids, id };
}

export function statusesNow(fixture: Fixture, ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map(async (id) => (await deliveryOf(fixture, id)).status));
}

/** A JPEG of one dot; each mark makes another one. */
export function jpegOf(mark: string): string {
  const adobe = Buffer.from(`\xff\xee\0${String.fromCharCode(mark.length + 2)}${mark}`, 'latin1');
  const dot = Buffer.from(
    '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
    'base64',
  );
  const picture = Buffer.concat([dot.subarray(0, 20), adobe, dot.subarray(20)]);
  return `data:image/jpeg;base64,${picture.toString('base64')}`;
}

export const jpeg = jpegOf('');
