import type { Order, OrderRequest } from '../../../contract/orders.ts';
import { orderColumns } from '../../columns/orders.ts';
import { type Context, defineCommand, positional } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { commandLine } from '../../line/command-line.ts';
import { text } from '../../line/flags.ts';
import { orderFieldsOf, orderFlags } from '../../orders/order-flags.ts';
import { copyOf, readOrderFile, requestsOf } from '../../orders/order-input.ts';
import { createAtOnce, createEach, type Sending } from '../../orders/order-sending.ts';
import { list, type Result, record } from '../../result.ts';

const sources = {
  file: text({ summary: 'JSON: one order, an array, or a request body', short: 'f', placeholder: 'FILE' }),
  like: text({ summary: 'A copy of another order, changed by flags', placeholder: 'ORDER' }),
  simulate: text({
    summary: "Sandbox scenario: 'happy_path; provider=flaky_co'",
    placeholder: 'SCENARIO',
  }),
};

export const create = defineCommand({
  name: 'create',
  aliases: ['new', 'add'],
  summary: 'Create an order',
  description: [
    'The order comes from flags, from --file, from stdin (a dash), or from another order (--like); flags go over',
    'what the others bring. An array of orders is sent order by order and stops at the first that is refused.',
    'Amounts are dollars here (42.50) and cents in files and answers (4250).',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads JSON from stdin', optional: true }) },
  flags: { ...orderFlags, ...sources },
  examples: [
    {
      command: [
        "waybill orders create --pickup-address '43 E Ohio St, Chicago, IL 60611' --pickup-name Grill",
        "--pickup-phone +13125550101 --dropoff-address '233 S Wacker Dr, Chicago, IL 60606'",
        "--dropoff-name 'Joe Diner' --dropoff-phone +13125550142 --item 'Brisket Classic:4:small'",
      ].join(' '),
      summary: 'From flags',
    },
    { command: 'waybill orders create --file order.json --tip 3.00', summary: 'From a file, with a tip' },
    {
      command: 'waybill orders create --like ORDER --dropoff-notes "Ring twice"',
      summary: 'A copy, changed',
    },
  ],
  effect: 'write',
  async run(context, { flags, positionals, given }) {
    const changes = await orderFieldsOf(context, flags, given);
    const headers = flags.simulate === undefined ? {} : { 'x-simulation': flags.simulate };
    const { orders, settings } = await source(context, { ...flags, ...positionals });
    const file = fileOf(flags.file ?? positionals.stdin);
    const requests = requestsOf(
      orders.map((order) => ({ ...order, ...changes })),
      file ?? 'the order',
    );
    const sending: Sending = { headers, isFromFile: file !== null, flagged: Object.keys(changes) };
    if (settings !== null) return made([await createAtOnce(context, requests, settings, sending)]);
    return made(await createEach(context, requests, sending));
  },
});

interface Sources {
  file: string | undefined;
  like: string | undefined;
  stdin: string | undefined;
}

async function source(
  context: Context,
  { file, like, stdin }: Sources,
): Promise<ReturnType<typeof readOrderFile>> {
  if (stdin !== undefined && stdin !== '-') {
    throw new UsageError(
      `"${stdin}" is a word too many: an order is read with --file, or from stdin with a dash.`,
    );
  }
  const given = [file, like, stdin].filter((each) => each !== undefined);
  if (given.length > 1) throw new UsageError('Give one of --file, --like and - (stdin).');
  if (like !== undefined) return { orders: [await likeOf(context, like)], settings: null };
  const path = file ?? stdin;
  if (path === undefined) return { orders: [{}], settings: null };
  return readOrderFile(await context.readFile(path), fileOf(path));
}

function fileOf(path: string): string;
function fileOf(path: string | undefined): string | null;
function fileOf(path: string | undefined): string | null {
  return path === '-' ? 'stdin' : (path ?? null);
}

async function likeOf(context: Context, order_id: string): Promise<Partial<OrderRequest>> {
  const client = await context.client();
  const { data, service_time } = await client.orders.get({ params: { order_id } });
  return copyOf(data, service_time ?? context.now());
}

function made(orders: readonly Order[]): Result {
  const route = commandLine(['routes', 'create', ...orders.map(({ id }) => id)]);
  const notes = [`Next: ${route}`];
  const [only] = orders;
  if (orders.length === 1 && only !== undefined) return record(only, orderColumns, { notes });
  return list({ data: orders, columns: orderColumns, notes });
}
