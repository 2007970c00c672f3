import { driverVehicles } from '../../../contract/vocabulary.ts';
import { choice, text } from '../../kit/args/flags.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { phoneFault, withCountry } from '../orders/order-flags.ts';
import { linkResult } from './driver-link.ts';

export const add = defineCommand({
  name: 'add',
  aliases: ['create', 'new'],
  summary: 'Add a driver of your own, and show the link for their phone (once)',
  description: [
    "The link opens the driver's page: today's stops, one large button for each step, and the driver's position. It",
    'needs no app and no password, so keep it secret.',
  ].join('\n'),
  positionals: { name: positional('text', { summary: 'Name that recipients see' }) },
  flags: {
    phoneNumber: text({
      summary: 'US phone number, or international with a plus: +13125550142',
      placeholder: 'PHONE',
      question: 'Phone (US, or international with a plus: +13125550142)',
      aliases: ['phone'],
      required: true,
      check: phoneFault,
    }),
    vehicleType: choice({ choices: driverVehicles, summary: 'Vehicle (default: car)', aliases: ['vehicle'] }),
  },
  examples: [
    { command: "waybill drivers add 'Sam Lee' --phone +13125550133", summary: 'Add a driver with a car' },
    {
      command: "waybill drivers add 'Ana Ruiz' --phone +13125550134 --vehicle bicycle",
      summary: 'Add a driver on a bicycle',
    },
  ],
  effect: 'write',
  async run(context, { positionals: { name }, flags: { phoneNumber, vehicleType } }) {
    const client = await context.client();
    const vehicle = vehicleType === undefined ? {} : { vehicle_type: vehicleType };
    const { data } = await client.drivers.create({
      body: { name, phone_number: withCountry(phoneNumber), ...vehicle },
      idempotencyKey: context.idempotencyKey(),
    });
    return linkResult(data, `Added ${data.name}`);
  },
});
