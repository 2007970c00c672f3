import { text } from '../../kit/args/flags.ts';
import { document } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { databaseFlag } from '../../session/database-flag.ts';
import { administer } from './administer.ts';
import { personQueryOf } from './person-query.ts';

export const exportPerson = defineCommand({
  name: 'export',
  summary: 'Print everything that is kept about a person as JSON',
  description: [
    'Prints the orders with this phone number, of every account and both modes, as they are stored: the order, its',
    'deliveries, events, reports of couriers and disputes. It contains personal data of the courier too.',
  ].join('\n'),
  flags: {
    database: databaseFlag(),
    phone: text({ summary: 'Phone number of the person', placeholder: 'PHONE', required: true }),
  },
  examples: [
    { command: 'waybill admin export --phone +13125550142 > person.json', summary: 'Export to a file' },
  ],
  effect: 'none',
  formats: ['json'],
  async run(context, { flags }) {
    const query = await personQueryOf(flags, 'admin export');
    const orders = await administer(context, flags.database, (administration) =>
      administration.exportPerson(query),
    );
    return document({ phone: flags.phone, orders });
  },
});
