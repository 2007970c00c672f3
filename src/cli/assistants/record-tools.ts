/** Tools that look at orders, stores and problems, with a tool for each command that a problem suggests. */
import * as z from 'zod';
import type { Order } from '../../contract/orders.ts';
import { orderStatuses } from '../../contract/vocabulary.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { collectProblems, type ShownProblem } from '../nouns/collect-problems.ts';
import { findOrderId } from '../nouns/find-order.ts';
import { problemKinds } from '../nouns/problems.ts';
import type { Context } from '../session/command.ts';
import { readMoment } from '../session/time-arguments.ts';
import { defineTool, type OfferedTool, readsOnly } from './define-tool.ts';
import { hasMore, limit, orderText, typedByOthers } from './lookup-tools.ts';

/** The tools that look at orders, stores, and what needs attention. */
export function recordTools(context: Context): OfferedTool[] {
  return [problemsTool(context), ordersTool(context), orderTool(context), storesTool(context)];
}

function problemsTool(context: Context): OfferedTool {
  return defineTool({
    name: 'list_problems',
    title: 'What needs attention',
    description: `What needs attention, worst first: failed deliveries, orders that no courier took or nobody dispatched, late ones and others. ${typedByOthers}`,
    input: z.object({
      since: z
        .string()
        .min(1)
        .default('1d')
        .describe('Since when they may have ended: 1d, 8:00, or an ISO time'),
    }),
    output: z.object({
      counts: z.record(z.enum(problemKinds), z.number().int()),
      problems: z.array(
        z.object({
          kind: z.enum(problemKinds),
          id: z
            .string()
            .describe('Of the delivery, the order or the webhook endpoint, or the name of a provider'),
          external_order_ref: z.string().nullable(),
          what: z.string(),
          since: z.string().nullable(),
          next: z
            .looseObject({ tool: z.string() })
            .nullable()
            .describe('A tool that helps, with the arguments that are known; null if none does'),
          why: z.string().describe('What the next step is for'),
        }),
      ),
      unchecked: z.array(z.string()).describe('What the service does not list'),
      incomplete: z.array(z.string()).describe('Of what only the newest records were checked'),
    }),
    annotations: readsOnly,
    run: async ({ since }) => {
      const { counts, items, unchecked, incomplete } = await collectProblems(context, readMoment(since));
      return { counts, problems: items.map(shownProblem), unchecked, incomplete };
    },
  });
}

/** The tools that do what a command of a next step does. */
const toolsOfCommands: Readonly<Record<string, { tool: string; of: 'delivery' | 'order' }>> = {
  'deliveries retry': { tool: 'retry_delivery', of: 'delivery' },
  'deliveries explain': { tool: 'explain_delivery', of: 'delivery' },
  'deliveries get': { tool: 'get_delivery', of: 'delivery' },
  'deliveries cancel': { tool: 'preview_cancellation', of: 'delivery' },
  ship: { tool: 'dispatch_order', of: 'order' },
  'orders get': { tool: 'get_order', of: 'order' },
};

/** A problem, with a tool in place of the command that `today` shows; a maximum that was asked for is kept. */
function shownProblem({ kind, id, external_order_ref, what, since, step }: ShownProblem) {
  const known = toolsOfCommands[step.command];
  const next =
    known === undefined ? null : { tool: known.tool, [known.of]: step.args[0] ?? id, ...limitsOf(step.args) };
  return { kind, id, external_order_ref, what, since, next, why: step.when };
}

/** `--max-cost 12.50 --not swiftly` as the fields of a tool. */
function limitsOf(args: readonly string[]): { max_cost?: number; exclude_provider?: string } {
  const given = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  const dollars = Number(given('--max-cost'));
  const max_cost = Number.isNaN(dollars) ? undefined : Math.round(dollars * 100);
  return withoutAbsent({ max_cost, exclude_provider: given('--not') });
}

function ordersTool(context: Context): OfferedTool {
  return defineTool({
    name: 'list_orders',
    title: 'Orders',
    description: `Orders, newest first, filtered by status, reference and text. An order has a delivery once it is dispatched. ${typedByOthers}`,
    input: z.object({
      status: z.array(z.enum(orderStatuses)).min(1).optional(),
      external_order_ref: z.string().min(1).optional().describe("The merchant's own reference"),
      text: z
        .string()
        .min(1)
        .optional()
        .describe('The start of a name or an address, or the last digits of a phone number'),
      limit,
    }),
    output: z.object({
      orders: z.array(
        z.object({
          id: z.string(),
          status: z.string(),
          external_order_ref: z.string(),
          recipient: z.string(),
          dropoff_address: z.string(),
          pickup_at: z.string().nullable(),
          dropoff_at: z.string().nullable(),
          delivery_id: z.string().nullable(),
          batch_id: z.string().nullable(),
          created_at: z.string(),
        }),
      ),
      has_more: z.boolean(),
    }),
    annotations: readsOnly,
    run: async ({ text: q, ...query }) => {
      const listed = await (await context.client()).orders.list({ query: { ...query, q } });
      return { orders: listed.data.data.map(orderSummary), has_more: hasMore(listed) };
    },
  });
}

function orderSummary(order: Order) {
  const { id, status, external_order_ref, dropoff_name: recipient, dropoff_address } = order;
  const { pickup_at, dropoff_at, delivery_id, batch_id, created_at } = order;
  const times = { pickup_at, dropoff_at, created_at };
  return { id, status, external_order_ref, recipient, dropoff_address, delivery_id, batch_id, ...times };
}

function orderTool(context: Context): OfferedTool {
  return defineTool({
    name: 'get_order',
    title: 'Order',
    description: `The whole record of one order. ${typedByOthers}`,
    input: z.object({ order: orderText }),
    output: z.object({ order: z.looseObject({ id: z.string(), status: z.string() }) }),
    annotations: readsOnly,
    run: async ({ order }) => {
      const order_id = await findOrderId(context, order);
      const { data } = await (await context.client()).orders.get({ params: { order_id } });
      return { order: { ...data } };
    },
  });
}

function storesTool(context: Context): OfferedTool {
  return defineTool({
    name: 'list_stores',
    title: 'Stores',
    description: 'The saved places to pick up from: `pickup_store` of a shipment names one.',
    input: z.object({ limit }),
    output: z.object({
      stores: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          address: z.string(),
          phone_number: z.string(),
          paused_until: z.string().nullable(),
        }),
      ),
      has_more: z.boolean(),
    }),
    needs: 'stores',
    annotations: readsOnly,
    run: async (query) => {
      const { data } = await (await context.client()).stores.list({ query });
      const stores = data.data.map(({ id, name, address, phone_number, paused_until = null }) => {
        return { id, name, address, phone_number, paused_until };
      });
      return { stores, has_more: data.has_more };
    },
  });
}
