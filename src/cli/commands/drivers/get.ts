import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { driverColumns } from './driver-columns.ts';
import { driverWord, findDriverId } from './find-driver.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show one of your drivers',
  positionals: { driver: positional('driver', { summary: driverWord }) },
  examples: [{ command: 'waybill drivers get DRIVER', summary: 'Show phone, stops and position' }],
  columns: driverColumns,
  effect: 'read',
  async run(context, { positionals }) {
    const driver_id = await findDriverId(context, positionals.driver);
    const client = await context.client();
    const { data } = await client.drivers.get({ params: { driver_id } });
    return record(data, driverColumns);
  },
});
