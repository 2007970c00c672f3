import type { Delivery } from '../../../contract/deliveries.ts';
import { deliveryFields } from '../../columns/deliveries.ts';
import { type Context, defineCommand, positional } from '../../command.ts';
import { Failure, UsageError } from '../../failures/failure.ts';
import { commandLine } from '../../line/command-line.ts';
import { record } from '../../result.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a delivery',
  description: 'Found by its id, by your own order reference, or by a phone number of either end.',
  positionals: { delivery: positional('delivery', { summary: 'Its id, your reference, or a phone number' }) },
  examples: [
    { command: 'waybill deliveries get DELIVERY', summary: 'Everything about it' },
    { command: 'waybill deliveries get "#1042"', summary: 'By your own reference' },
    { command: 'waybill deliveries get +13125550142', summary: 'By phone' },
  ],
  effect: 'read',
  async run(context, { positionals }) {
    const delivery = await find(context, positionals.delivery);
    return record(delivery, deliveryFields(delivery));
  },
});

async function find(context: Context, text: string): Promise<Delivery> {
  const client = await context.client();
  if (text.startsWith('dlv_')) return (await client.deliveries.get({ params: { deliveryid: text } })).data;
  for (const query of queriesFor(text)) {
    const found = await matches(context, query);
    const [only] = found;
    if (found.length > 1) throw several(text, found, query);
    if (only !== undefined) return only;
  }
  throw notFound(text);
}

type Query = { external_order_ref: string } | { phone: string };

/** The first that finds anything decides. Ten digits may be a number at home, without its country. */
function queriesFor(text: string): Query[] {
  const digits = text.replace(/\D/g, '');
  const isPhone = /^\+?[\d\s().-]+$/.test(text) && digits.length >= 7;
  if (!isPhone) return [{ external_order_ref: text }];
  const home = digits.length === 10 && !text.startsWith('+') ? [{ phone: `1${digits}` }] : [];
  return [{ external_order_ref: text }, { phone: digits }, ...home];
}

/** Enough to say what there is to choose from. */
const mostChoices = 10;

async function matches(context: Context, query: Query): Promise<Delivery[]> {
  const client = await context.client();
  const { data } = await client.deliveries.list({ query: { ...query, limit: mostChoices } });
  return data.data;
}

function notFound(text: string): Failure {
  const hint = 'Looked for it as an id (dlv_...), as your own reference, and as a phone number.';
  return new Failure(5, 'record_not_found', `There is no delivery "${text}".`, {
    hint,
    next: [{ command: 'waybill deliveries list', when: 'see what there is' }],
  });
}

function several(text: string, found: readonly Delivery[], query: Query): UsageError {
  const described = found.map(({ id, status, created_at }) => `${id} (${status}, ${created_at})`);
  const filter = 'phone' in query ? { phone: query.phone } : { externalOrderRef: query.external_order_ref };
  return new UsageError(`Several deliveries match "${text}".`, {
    why: described.join('\n'),
    choices: found.map(({ id }) => id),
    next: [{ command: commandLine(['deliveries', 'list'], filter), when: 'see all of them' }],
  });
}
