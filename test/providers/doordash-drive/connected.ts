import type { CourierSettings } from '../../../src/providers/courier.ts';
import { doorDashDrive as adapter } from '../../../src/providers/doordash-drive/adapter.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { doorDashDrive } from '../../fakes/doordash-drive/server.ts';
import { courierOrder } from '../courier-orders.ts';

/** The adapter with a fake DoorDash Drive of its own, and a clock that both share. */
export async function connected() {
  const clock = { now: Date.UTC(2026, 10, 22, 18) };
  const fake = await doorDashDrive({ now: () => clock.now });
  const settings: CourierSettings = {
    ...fake.credentials,
    environment: 'sandbox',
    webhook_authorization: 'Basic c2VjcmV0',
  };
  const ports = portsTo({ 'https://openapi.doordash.com': fake.url }, () => clock.now);
  const connect = (changes: CourierSettings = {}) => adapter.connect({ ...settings, ...changes }, ports);
  const courier = connect();
  return {
    clock,
    fake,
    connect,
    courier,
    quote: (key = 'q_1', order = courierOrder()) => courier.quote({ key, order, now: clock.now }),
    create: (quote_reference: string | null, key = 'd_1', order = courierOrder()) =>
      courier.create({ key, quote_reference, order, now: clock.now }),
  };
}

export type Connected = Awaited<ReturnType<typeof connected>>;
