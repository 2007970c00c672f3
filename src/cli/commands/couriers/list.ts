import { list as listOf } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { courierColumns } from './courier-columns.ts';
import { allCouriers } from './find-courier.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the couriers that can be connected: state, what each can and cannot',
  examples: [
    { command: 'waybill couriers list', summary: 'See which couriers are connected' },
    {
      command: 'waybill couriers list --jq \'.[] | select(.state == "enabled") | .name\'',
      summary: 'The names of the connected ones',
    },
  ],
  columns: courierColumns,
  effect: 'read',
  async run(context) {
    const data = await allCouriers(await context.client());
    return listOf({ data, columns: courierColumns, empty: 'This service has no couriers to connect.' });
  },
});
