import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Delivery } from '../../../contract/deliveries.ts';
import { reportOf } from '../../errors/error-report.ts';
import type { Context } from '../../session/command.ts';

/** A tool that an assistant can call. */
interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: I;
  output: O;
  annotations: ToolAnnotations;
  run(input: z.output<I>): Promise<z.input<O>>;
}

/** Keeps the types of a tool's input and output in a list of tools. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): AddTool {
  return (server, context) => {
    const { name, title, description, input, output, annotations } = tool;
    const inputSchema: StandardSchemaWithJSON = input;
    const outputSchema: StandardSchemaWithJSON = output;
    const config = { title, description, inputSchema, outputSchema, annotations };
    server.registerTool(name, config, async (given: unknown) =>
      answerTool(context, () => tool.run(input.parse(given))),
    );
  };
}

/** Registers a tool with a server. */
export type AddTool = (server: McpServer, context: Context) => void;

/** A tool that only reads. */
export const readsOnly: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };

/** A tool that adds or changes records and deletes none. */
export const adds: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

async function answerTool(context: Context, run: () => Promise<object>) {
  try {
    const structuredContent = { ...(await run()) };
    return { content: [textOf(structuredContent)], structuredContent };
  } catch (error) {
    return { content: [textOf({ error: errorOf(context, error) })], isError: true };
  }
}

/** The details of an error that an assistant needs, without command lines, as it has tools. */
function errorOf(context: Context, error: unknown) {
  const { code, message, hint, param, choices, details, reasons } = reportOf(error);
  return {
    code,
    message: context.plainText(message),
    ...(hint === null ? {} : { hint: context.plainText(hint) }),
    ...(param === null ? {} : { param }),
    ...(choices.length === 0 ? {} : { choices }),
    ...(details.length === 0 ? {} : { details }),
    ...(reasons.length === 0 ? {} : { reasons }),
  };
}

function textOf(value: object) {
  return { type: 'text' as const, text: JSON.stringify(value) };
}

/** The fields that an assistant needs to identify a delivery and report its status. */
export const deliverySummary = z.object({
  id: z.string(),
  status: z.string(),
  external_order_ref: z.string(),
  provider: z.string().describe('Empty without a provider'),
  recipient: z.string(),
  dropoff_address: z.string(),
  dropoff_eta: z.string().nullable(),
  price: z
    .number()
    .int()
    .nullable()
    .describe('In cents, without the tip; null if the service does not say it'),
  tip: z.number().int().nullable(),
  tracking_url: z.string(),
  failure_message: z.string().describe('Empty unless it failed or goes back'),
  created_at: z.string(),
});

export type DeliverySummary = z.infer<typeof deliverySummary>;

export function summaryOf(delivery: Delivery): DeliverySummary {
  const [dropoff] = delivery.dropoffs;
  return {
    id: delivery.id,
    status: delivery.status,
    external_order_ref: delivery.external_order_ref,
    provider: delivery.service,
    recipient: dropoff?.dropoff_name ?? '',
    dropoff_address: dropoff?.dropoff_address ?? '',
    dropoff_eta: dropoff?.dropoff_eta ?? null,
    price: knownCents(delivery.payment_amount),
    tip: delivery.tip,
    tracking_url: delivery.tracking_url,
    failure_message: delivery.failure_message,
    created_at: delivery.created_at,
  };
}

/** An amount that the service left out is NaN, which JSON does not have. */
export function knownCents(amount: number): number | null {
  return Number.isNaN(amount) ? null : amount;
}
