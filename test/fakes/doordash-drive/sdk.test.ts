import { request } from 'node:http';
import * as sdk from '@doordash/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DoorDashDrive, doorDashDrive } from './server.ts';

const input = {
  external_delivery_id: 'D-1763',
  pickup_address: '233 S Wacker Dr, Chicago, IL 60606',
  pickup_phone_number: '+13125557701',
  dropoff_address: '600 E Grand Ave, Chicago, IL 60611',
  dropoff_phone_number: '+13125557702',
  order_value: 2500,
};

/** DoorDash's own client holds the fake to what DoorDash's clients rely on. */
describe('the SDK of DoorDash against the fake', () => {
  let fake: DoorDashDrive;
  let hosts: string[];

  beforeEach(async () => {
    hosts = [];
    fake = await doorDashDrive();
  });

  afterEach(() => fake.close());

  /** The SDK names its host; its requests are sent to the fake instead. */
  const toFake = () => ({
    proxy: false as const,
    transport: {
      request: (
        options: { hostname: string; path: string; method: string; headers: Record<string, string> },
        respond: () => void,
      ) => {
        hosts.push(options.hostname);
        const { path, method, headers } = options;
        return request({ host: '127.0.0.1', port: fake.port, path, method, headers }, respond);
      },
    },
  });

  const client = () => new sdk.DoorDashClient(fake.credentials);

  it('quotes, accepts and reads a delivery', async () => {
    const quoted = await client().deliveryQuote(input, toFake());
    expect(quoted.data).toMatchObject({ delivery_status: 'quote', fee: 975, currency: 'USD' });
    const accepted = await client().deliveryQuoteAccept('D-1763', { tip: 300 }, toFake());
    expect(accepted.data).toMatchObject({ delivery_status: 'created', tip: 300, fee: 975 });
    const read = await client().getDelivery('D-1763', toFake());
    expect(read.data).toEqual(accepted.data);
    expect(hosts).toEqual(Array(3).fill('openapi.doordash.com'));
  });

  it('creates, updates and cancels a delivery', async () => {
    await client().createDelivery(input, toFake());
    const updated = await client().updateDelivery('D-1763', { dropoff_instructions: 'Ring twice' }, toFake());
    expect(updated.data).toMatchObject({ delivery_status: 'created', dropoff_instructions: 'Ring twice' });
    const canceled = await client().cancelDelivery('D-1763', toFake());
    expect(canceled.data).toMatchObject({
      delivery_status: 'cancelled',
      cancellation_reason: 'cancelled_by_creator',
    });
  });

  it('answers a repeated create with the delivery, and a different one with an error', async () => {
    const first = await client().createDelivery(input, toFake());
    const second = await client().createDelivery(input, toFake());
    expect(second.data).toEqual(first.data);
    const other = client().createDelivery({ ...input, order_value: 1 }, toFake());
    await expect(other).rejects.toBeInstanceOf(sdk.DoorDashDuplicatedDeliveryIdError);
  });

  it('raises the errors that the SDK has classes for', async () => {
    await expect(client().getDelivery('D-0', toFake())).rejects.toBeInstanceOf(
      sdk.DoorDashUnknownDeliveryError,
    );
    await expect(
      client().createDelivery({ ...input, dropoff_phone_number: '+12025550199' }, toFake()),
    ).rejects.toBeInstanceOf(sdk.DoorDashValidationFieldError);
    fake.failNext('GET', 'authorization_error');
    await expect(client().getDelivery('D-0', toFake())).rejects.toBeInstanceOf(
      sdk.DoorDashAuthorizationError,
    );
    fake.failNext('GET', 'throttled');
    await expect(client().getDelivery('D-0', toFake())).rejects.toBeInstanceOf(sdk.DoorDashThrottledError);
    fake.failNext('GET', 'service_fault');
    await expect(client().getDelivery('D-0', toFake())).rejects.toMatchObject({ errorCode: 'service_fault' });
  });
});
