/**
 * The definition of a tool for assistants: its arguments are checked, and its errors name its fields instead of flags.
 * A call of `defineTool({ name: 'cancel_delivery', input, output, annotations: spends, run })` is answered with what `run`
 * returns, or with `{"error":{"code":"fee_not_agreed","message":...,"hint":...}}` for what it throws.
 */
import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Feature } from '../../client/service-features.ts';
import { createErrorReport } from '../errors/error-report.ts';
import { Failure } from '../kit/errors/failure.ts';
import type { Context } from '../session/command.ts';

/** A tool that an assistant can call. */
interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: I;
  output: O;
  annotations: ToolAnnotations;
  /** The feature of the service without which the tool is not offered. */
  needs?: Feature;
  /** `signal` is aborted when the assistant cancels the call, or no longer waits for its answer. */
  run(input: z.output<I>, signal: AbortSignal): Promise<z.input<O>>;
}

/** A tool in a list of tools, without the types of its input and output. */
export interface OfferedTool {
  needs: Feature | null;
  isRead: boolean;
  /** Registers it with a server. */
  add(server: McpServer, context: Context): void;
}

/** A tool that only reads. */
export const readsOnly: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };

/** A tool that adds or changes records and deletes none. */
export const adds: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** A tool that costs money. */
export const spends: ToolAnnotations = { ...adds, destructiveHint: true };

/** Keeps the types of a tool's input and output in a list of tools. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): OfferedTool {
  const { name, title, description, input, output, annotations, needs = null } = tool;
  const add = (server: McpServer, context: Context) => {
    // Arguments that the tool does not have are refused: a shipment without a time that was asked for starts at once.
    const exact = input.strict();
    // The package describes the arguments and does not check them, as its refusal is a text without a code.
    const described: StandardSchemaWithJSON = exact;
    const unchecked = { ...described['~standard'], validate: (value: unknown) => ({ value }) };
    const inputSchema: StandardSchemaWithJSON = { '~standard': unchecked };
    const outputSchema: StandardSchemaWithJSON = output;
    const config = { title, description, inputSchema, outputSchema, annotations };
    server.registerTool(name, config, async (given: unknown, { mcpReq: { signal } }) =>
      answerTool(context, Object.keys(input.shape), () => {
        checkArguments(exact, given ?? {});
        return tool.run(input.parse(given ?? {}), signal);
      }),
    );
  };
  return { needs, isRead: annotations.readOnlyHint === true, add };
}

/** Throws the refusal of arguments that are missing, wrong, or not those of the tool. */
function checkArguments(input: z.ZodObject, given: unknown): void {
  const read = input.safeParse(given);
  if (read.success) return;
  const faults = read.error.issues.flatMap((issue) => {
    const path = issue.path.join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message.toLowerCase() }];
    return issue.keys.map((key) => ({
      path: [path, key].filter(Boolean).join('.'),
      message: 'is no argument of this tool',
    }));
  });
  const [only, ...others] = faults;
  const text = faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const isUnknown = read.error.issues.some(({ code }) => code === 'unrecognized_keys');
  throw new Failure(2, 'invalid_request', text, {
    ...(isUnknown && { hint: `It takes ${Object.keys(input.shape).join(', ')}.` }),
    ...(only !== undefined && others.length === 0 && { param: only.path }),
  });
}

/** The answer to a call: its result or its error, as JSON in a text. */
async function answerTool(context: Context, fields: readonly string[], run: () => Promise<object>) {
  try {
    const structuredContent = { ...(await run()) };
    return { content: [textOf(structuredContent)], structuredContent };
  } catch (error) {
    return { content: [textOf({ error: toolError(context, fields, error) })], isError: true };
  }
}

/** The details of an error that an assistant needs, without command lines and flags, as it has tools with fields. */
export function toolError(context: Context, fields: readonly string[], error: unknown) {
  const { code, message, hint, param, choices, details, reasons } = createErrorReport(error);
  const text = ownFields(context.plainText(message));
  const advice = hint === null ? '' : toolText(context.plainText(hint), fields);
  const field = param === null ? '' : toolText(ownFields(param), fields);
  const faults = details.map((fault) => ({
    path: ownFields(fault.path),
    message: ownFields(fault.message),
  }));
  return {
    code,
    message: toolText(text, fields) || text,
    ...(advice === '' ? {} : { hint: advice }),
    ...(field === '' ? {} : { param: field }),
    ...(choices.length === 0 ? {} : { choices }),
    ...(details.length === 0 ? {} : { details: faults }),
    ...(reasons.length === 0 ? {} : { reasons }),
  };
}

/** `orders[0].pickup_store_id` is `pickup_store`: a tool orders one delivery, and finds a store by its name. */
function ownFields(text: string): string {
  return text.replace(/\borders\[0\]\./g, '').replace(/\bpickup_store_id\b/g, 'pickup_store');
}

/**
 * Names the fields of the tool instead of flags: `Pass --max-cost.` is `Pass max_cost.` for a tool with that field. A
 * sentence that still names a flag or a command is left out, as an assistant has neither (`test/cli/commands/mcp.test.ts`).
 */
export function toolText(text: string, fields: readonly string[]): string {
  const named = text.replace(/--([a-z][a-z-]*)/g, (flag: string, name: string) => {
    const field = name.replaceAll('-', '_');
    return fields.includes(field) ? field : flag;
  });
  const sentences = named.split(/(?<=[.!?]) /);
  return sentences.filter((each) => !/(^|[\s(])--[a-z]|\bwaybill [a-z]/.test(each)).join(' ');
}

function textOf(value: object) {
  return { type: 'text' as const, text: JSON.stringify(value) };
}
