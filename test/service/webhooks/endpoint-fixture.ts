import { onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { ServiceConfig } from '../../../src/service/runtime/context.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { type Fixture, startFixture } from '../fixture.ts';
import { type Answering, startReceiver } from './receiver.ts';

/** Every name resolves to a public address, and nothing can be connected. */
export const offline: ServiceConfig['web'] = {
  resolve: async () => ['93.184.215.14'],
  connect: async () => {
    throw new Error('nothing is sent in this test');
  },
};

export const somewhere = 'https://shop.example/hooks';

export async function startOffline() {
  const fixture = await startFixture({ parts: { web: offline } });
  return { fixture, client: fixture.client() };
}

/** Real timers, but the service stops without its usual two seconds for running attempts. */
export const hasty: ServiceConfig['timers'] = {
  ...realTimers,
  after: (ms, wake) => realTimers.after(ms === 2_000 ? 20 : ms, wake),
};

/** A service and a local server with the given responses. */
export async function receiving(answer?: Answering, options: Parameters<typeof startFixture>[0] = {}) {
  const fixture = await startFixture(options);
  const receiver = await startReceiver(answer);
  const services = [fixture.service];
  /** Another process on the same database. */
  const another = (changes: Partial<ServiceConfig> = {}) => {
    const service = createService({ ...fixture.config, ...changes });
    services.push(service);
    return service;
  };
  onTestFinished(async () => {
    for (const service of services) await service.stop();
    await receiver.close();
    await fixture.storage.close();
  });
  return { fixture, receiver, client: fixture.client(), another };
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

/** The recorded attempts, oldest first. */
export async function attemptsIn({ storage }: Pick<Fixture, 'storage'>) {
  return storage.run((db) => db.selectFrom('webhook_attempts').selectAll().orderBy('sequence').execute());
}

/** The error code and paths of a refused call. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown[]> {
  const fault: unknown = await call.catch((error: unknown) => error);
  if (!(fault instanceof Error && 'code' in fault && 'details' in fault)) throw new Error('not refused');
  const details = Array.isArray(fault.details) ? fault.details : [];
  return [fault.code, ...details.map(({ path }) => path)];
}
