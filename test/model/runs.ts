import fc from 'fast-check';
import { scenarioNames } from '../../src/domain/scenarios.ts';
import { startClient } from '../service/fixture.ts';
import { checkCourierRecords } from './courier-records.ts';
import { commandsFor, type Model } from './delivery-commands.ts';

/** Runs random sequences of commands against the service, each checked against the model after every command. */
export async function runAgainstModel(numRuns: number, seed: number, location = ':memory:'): Promise<void> {
  const { fixture, client } = await startClient({ location });
  const { account_id } = (await client.account.get()).data;
  const property = fc.asyncProperty(commandsFor(scenarioNames), async (commands) => {
    const model: Model = { seen: [] };
    await fc.asyncModelRun(() => ({ model, real: { fixture, client, account_id } }), commands);
    await checkCourierRecords(fixture.storage, model.seen);
    // The remaining tasks of this run must not run in the next.
    await fixture.storage.run((db) => db.deleteFrom('tasks').execute());
  });
  await fc.assert(property, { numRuns, seed, endOnFailure: false });
  await fixture.storage.close();
}
