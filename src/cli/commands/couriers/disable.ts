import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { connectedColumns } from './courier-columns.ts';

export const disable = defineCommand({
  name: 'disable',
  summary: 'Request no more quotes from a courier, and keep its settings',
  description: 'Its deliveries under way continue.',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [{ command: 'waybill couriers disable uber-direct', summary: 'Take a break from it' }],
  effect: 'write',
  async run(context, { positionals: { courier: name } }) {
    const client = await context.client();
    const { data } = await client.couriers.disable({
      params: { name },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, connectedColumns);
  },
});
