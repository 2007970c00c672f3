import { ApiError } from '../../../client/errors.ts';
import { records } from '../../../client/pages.ts';
import type { Driver } from '../../../contract/drivers.ts';
import { stepsText } from '../../errors/service-errors.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { deletedFields } from '../../kit/output/rows.ts';
import { record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { driverWord, findDriverId } from './find-driver.ts';
import { handoverSteps } from './handover-steps.ts';

export const remove = defineCommand({
  name: 'remove',
  aliases: ['delete', 'rm'],
  summary: 'Remove a driver who has no deliveries left',
  description: [
    'The link stops working at once. Past deliveries keep the name and the phone number. If the driver still has some,',
    'the error names the commands that give them to another driver or report what became of them.',
  ].join('\n'),
  positionals: { driver: positional('driver', { summary: driverWord }) },
  examples: [{ command: 'waybill drivers remove DRIVER --yes', summary: 'Remove without a prompt' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals }) {
    const driver_id = await findDriverId(context, positionals.driver);
    if (!context.globals.dryRun) await context.confirm(`Remove driver ${positionals.driver}?`);
    const client = await context.client();
    const removal = client.drivers.delete({ params: { driver_id } });
    const { data } = await removal.catch(async (error) => {
      throw await withSteps(context, driver_id, error);
    });
    return record(data, deletedFields);
  },
});

/** Adds to the refusal how each delivery that the driver still has can be given away, or reported. */
async function withSteps(context: Context, driver_id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== 'driver_has_stops') return error;
  const client = await context.client();
  const drivers: Driver[] = [];
  for await (const each of records(client.drivers.list, {})) drivers.push(each);
  const next = error.related_ids.flatMap((id) => {
    const [first, ...others] = handoverSteps(id, driver_id, drivers);
    return first === undefined ? [] : id === error.related_ids[0] ? [first, ...others] : [first];
  });
  return new Failure(6, error.code, error.message, { cause: error, hint: stepsText(next), next });
}
