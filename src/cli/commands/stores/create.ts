import { invocation, phrase } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { withCountry } from '../orders/order-flags.ts';
import { storeColumns } from './store-columns.ts';
import { moreFieldsOf, newStoreFlags } from './store-flags.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Save a pickup location',
  flags: newStoreFlags,
  examples: [
    {
      command:
        "waybill stores create --name Grill --address '43 E Ohio St, Chicago, IL 60611' --phone +13125550101",
      summary: 'Save a pickup location',
    },
  ],
  effect: 'write',
  async run(context, { flags: { name, address, phoneNumber, ...more } }) {
    const client = await context.client();
    const { data } = await client.stores.create({
      body: {
        name,
        address,
        phone_number: withCountry(phoneNumber),
        ...moreFieldsOf(more, context.host.folder),
      },
      idempotencyKey: context.idempotencyKey(),
    });
    const next = invocation('orders create', [], { store: data.id });
    return record(data, storeColumns, { notes: [phrase`Use it as the pickup: ${next}`] });
  },
});
