import { text } from '../../kit/args/flags.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { driverWord, findDriverId } from '../drivers/find-driver.ts';
import { deliverySummary } from './delivery-columns.ts';
import { deliveryWord, findDeliveryId, foundBy } from './find-delivery.ts';

export const assign = defineCommand({
  name: 'assign',
  aliases: ['reassign'],
  summary: 'Give a delivery of your own fleet to one of your drivers',
  description: [
    'The driver gets it without being asked, with the rest of its route, in place of the driver who had it. After the',
    `pickup its status, PIN and charges stay the same: one driver hands the parcel over to the other. ${foundBy}`,
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    driver: text({
      summary: driverWord,
      placeholder: 'DRIVER',
      aliases: ['driver-id'],
      required: true,
      question: 'Which driver?',
    }),
  },
  examples: [
    { command: 'waybill deliveries assign DELIVERY --driver DRIVER', summary: 'Assign to a driver' },
  ],
  effect: 'write',
  async run(context, { flags, positionals }) {
    const delivery_id = await findDeliveryId(context, positionals.delivery, { changes: true });
    const driver_id = await findDriverId(context, flags.driver);
    const client = await context.client();
    const { data } = await client.drivers.assign({
      params: { driver_id },
      body: { delivery_id },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [`Assigned ${data.id} to ${data.courier_name}.`] });
  },
});
