import { onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { ServiceConfig } from '../../../src/service/runtime/context.ts';
import type { Fixture } from '../fixture.ts';
import { startFixture } from '../fixture.ts';
import { type Answer, type Received, startReceiver } from './receiver.ts';

/** Every name resolves to a public address, and nothing can be connected. */
export const offline: ServiceConfig['web'] = {
  resolve: async () => ['93.184.215.14'],
  connect: async () => {
    throw new Error('nothing is sent in this test');
  },
};

export const somewhere = 'https://shop.example/hooks';

export async function startOffline(): Promise<Fixture> {
  return startFixture({ parts: { web: offline } });
}

/** A service and a local server with the given responses. */
export async function receiving(
  answer?: (request: Received, nth: number) => Answer | Promise<Answer>,
  parts: Partial<ServiceConfig> = {},
) {
  const fixture = await startFixture({ parts });
  const receiver = await startReceiver(answer);
  onTestFinished(async () => {
    await fixture.service.stop();
    await receiver.close();
  });
  return { fixture, receiver, client: fixture.client() };
}

/** A new endpoint of the client's mode, subscribed only to `delivery.created` by default. */
export async function newEndpoint(
  client: Client,
  body: Partial<Parameters<Client['webhooks']['create']>[0]['body']> = {},
) {
  const { data } = await client.webhooks.create({
    body: { url: somewhere, events: ['delivery.created'], ...body },
  });
  return { ...data, params: { webhook_endpoint_id: data.id } };
}

/** The messages in insertion order, waiting or given up. */
export async function messagesIn({ storage }: Pick<Fixture, 'storage'>) {
  return storage.run((db) => db.selectFrom('webhook_messages').selectAll().orderBy('sequence').execute());
}

/** The error code and paths of a refused call. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown[]> {
  const fault: unknown = await call.catch((error: unknown) => error);
  if (!(fault instanceof Error && 'code' in fault && 'details' in fault)) throw new Error('not refused');
  const details = Array.isArray(fault.details) ? fault.details : [];
  return [fault.code, ...details.map(({ path }) => path)];
}
