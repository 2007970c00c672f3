import { defineCommand, positional } from '../../session/command.ts';
import { linkResult } from './driver-link.ts';
import { driverWord, findDriverId } from './find-driver.ts';

export const link = defineCommand({
  name: 'link',
  aliases: ['relink'],
  summary: "Replace the link of a driver's page, such as after a lost phone",
  description: 'The old link stops working at once. Deliveries stay with the driver.',
  positionals: { driver: positional('driver', { summary: driverWord }) },
  examples: [{ command: 'waybill drivers link DRIVER', summary: 'Show a new link as a QR code' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals }) {
    const driver_id = await findDriverId(context, positionals.driver);
    if (!context.globals.dryRun) await context.confirm(`Replace the link of ${positionals.driver}?`);
    const client = await context.client();
    const { data } = await client.drivers.link({
      params: { driver_id },
      idempotencyKey: context.idempotencyKey(),
    });
    return linkResult(data, `New link for ${data.name}`);
  },
});
