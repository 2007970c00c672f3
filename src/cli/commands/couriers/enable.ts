import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { connectedColumns } from './courier-columns.ts';

export const enable = defineCommand({
  name: 'enable',
  summary: 'Request quotes from a disabled courier again',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [{ command: 'waybill couriers enable uber-direct', summary: 'Use it again' }],
  effect: 'write',
  async run(context, { positionals: { courier: name } }) {
    const client = await context.client();
    const { data } = await client.couriers.enable({
      params: { name },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, connectedColumns);
  },
});
