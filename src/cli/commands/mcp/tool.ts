import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Feature } from '../../../client/features.ts';
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
  /** The feature of the service without which the tool is not offered. */
  needs?: Feature;
  /** `signal` is aborted when the assistant cancels the call, or no longer waits for its answer. */
  run(input: z.output<I>, signal: AbortSignal): Promise<z.input<O>>;
}

/** Keeps the types of a tool's input and output in a list of tools. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): OfferedTool {
  const { name, title, description, input, output, annotations, needs = null } = tool;
  const add = (server: McpServer, context: Context) => {
    // Arguments that the tool does not have are refused: a shipment without a time that was asked for starts at once.
    const inputSchema: StandardSchemaWithJSON = input.strict();
    const outputSchema: StandardSchemaWithJSON = output;
    const config = { title, description, inputSchema, outputSchema, annotations };
    server.registerTool(name, config, async (given: unknown, { mcpReq: { signal } }) =>
      answerTool(context, Object.keys(input.shape), () => tool.run(input.parse(given), signal)),
    );
  };
  return { needs, isRead: annotations.readOnlyHint === true, add };
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

async function answerTool(context: Context, fields: readonly string[], run: () => Promise<object>) {
  try {
    const structuredContent = { ...(await run()) };
    return { content: [textOf(structuredContent)], structuredContent };
  } catch (error) {
    return { content: [textOf({ error: errorOf(context, fields, error) })], isError: true };
  }
}

/** The details of an error that an assistant needs, without command lines and flags, as it has tools with fields. */
function errorOf(context: Context, fields: readonly string[], error: unknown) {
  const { code, message, hint, param, choices, details, reasons } = reportOf(error);
  const text = context.plainText(message);
  const advice = hint === null ? '' : toolText(context.plainText(hint), fields);
  const field = param === null ? '' : toolText(param, fields);
  // A tool orders one delivery, whose fields are its own.
  const faults = details.map(({ path, message }) => ({ path: path.replace(/^orders\[0\]\./, ''), message }));
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

/** Names the fields of the tool instead of flags, and leaves out sentences about other flags and commands. */
function toolText(text: string, fields: readonly string[]): string {
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
