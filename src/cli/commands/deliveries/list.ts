import { deliveryStatuses, groupNames } from '../../../contract/vocabulary.ts';
import { deliveryColumns } from '../../columns/deliveries.ts';
import { defineCommand } from '../../command.ts';
import { choice, text } from '../../line/flags.ts';
import { createdFlags, createdQuery, listing, pagingFlags } from '../../line/listing.ts';

const statuses = [...groupNames, ...deliveryStatuses.filter((status) => status !== 'failed')] as const;

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List deliveries, newest first',
  flags: {
    status: choice({ summary: 'A status, or a group of them', choices: statuses, placeholder: 'STATUS' }),
    externalOrderRef: text({ summary: 'With this reference of yours', aliases: ['ref'], placeholder: 'REF' }),
    service: text({ summary: 'Handled by this provider', aliases: ['provider'], placeholder: 'NAME' }),
    phone: text({ summary: 'With this number at either end', placeholder: 'PHONE' }),
    ...createdFlags,
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill deliveries list --status in_transit', summary: 'Those on their way' },
    { command: 'waybill deliveries list --phone +13125550142', summary: 'Those of a person' },
    {
      command: 'waybill deliveries list --status failed --since 1d --json',
      summary: 'What failed since yesterday',
    },
  ],
  effect: 'read',
  async run(context, { flags }) {
    const { status, externalOrderRef, service, phone, since, until } = flags;
    const client = await context.client();
    const created = await createdQuery(context, { since, until });
    return listing({
      list: client.deliveries.list,
      query: { status, external_order_ref: externalOrderRef, service, phone, ...created },
      paging: flags,
      columns: deliveryColumns,
      command: ['deliveries', 'list'],
      filters: {
        ...{ status, externalOrderRef, service, phone },
        ...{ since: created.created_after, until: created.created_before },
      },
      empty: 'No deliveries found.',
    });
  },
});
