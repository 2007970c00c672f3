import { deletedFields } from '../../kit/output/deleted-columns.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { driverWord, findDriverId } from './find-driver.ts';

export const remove = defineCommand({
  name: 'remove',
  aliases: ['delete', 'rm'],
  summary: 'Remove a driver who has no stops left',
  description: 'The link stops working at once. Past deliveries keep the name and the phone number.',
  positionals: { driver: positional('driver', { summary: driverWord }) },
  examples: [{ command: 'waybill drivers remove DRIVER --yes', summary: 'Remove without a prompt' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals }) {
    const driver_id = await findDriverId(context, positionals.driver);
    if (!context.globals.dryRun) await context.confirm(`Remove driver ${positionals.driver}?`);
    const client = await context.client();
    const { data } = await client.drivers.delete({ params: { driver_id } });
    return record(data, deletedFields);
  },
});
