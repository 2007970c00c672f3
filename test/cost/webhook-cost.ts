import type { Ownership } from '../../src/service/runtime/processes.ts';
import { startedDelivery } from '../service/delivery-runs.ts';
import { startFixture } from '../service/fixture.ts';
import { insertEndpoint } from '../service/webhooks/received-events.ts';
import { startReceiver } from '../service/webhooks/receiver.ts';
import { type Cost, countStatements } from './count-statements.ts';
import type { Counted } from './measure.ts';

/** The only process that sends: it claims no messages. */
const ownership: Ownership = {
  whileOwner: async (work) => {
    await work();
    return true;
  },
};

/**
 * The statements and transactions of one webhook message, of deliveries whose first events go to several endpoints.
 */
export async function webhookCost(
  location: string,
  { endpoints, deliveries }: { endpoints: number; deliveries: number },
): Promise<Counted & { sent: number; cost: Cost }> {
  const fixture = await startFixture({ location, parts: { ownership } });
  const receiver = await startReceiver();
  try {
    for (let count = 0; count < endpoints; count += 1) await insertEndpoint(fixture, receiver.url);
    const create = async () => {
      await startedDelivery(fixture.client(), 'happy_path');
    };
    // The first attempts of an endpoint are few.
    await create();
    await fixture.service.send();
    for (let count = 0; count < deliveries; count += 1) await create();
    let sent = 0;
    const cost = await countStatements(async () => {
      sent = await fixture.service.send();
    });
    return { sent, cost, statements: cost.statements / sent, transactions: cost.transactions / sent };
  } finally {
    await fixture.service.stop();
    await receiver.close();
    await fixture.storage.close();
  }
}
