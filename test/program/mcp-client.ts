import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import type { Home } from './run.ts';

/** The package's own limit of a minute is less than a busy machine may need. */
const patient = { timeout: 600_000 };

/** The protocol's own client, with the built program as its server. */
export async function connected(home: Home, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: 'waybill',
    args: ['mcp', ...flags],
    env: home.env,
    cwd: home.folder,
    stderr: 'ignore',
  });
  await client.connect(transport, patient);
  onTestFinished(() => client.close());
  return client;
}

interface Answer {
  isError?: boolean | undefined;
  structuredContent?: unknown;
  content: unknown;
}

/** Calls tools and gives their structured answers; an error is one with its code. */
export function callerOf(client: Client) {
  return async (name: string, args: Record<string, unknown> = {}) => {
    const answer: Answer = await client.callTool({ name, arguments: args }, patient);
    const [{ text }] = JSON.parse(JSON.stringify(answer.content));
    if (answer.isError === true) return JSON.parse(text);
    expect(JSON.parse(text)).toEqual(answer.structuredContent);
    return JSON.parse(text);
  };
}

/** The protocol's own client, with the tools of a service over HTTP. */
export async function connectedOver(url: string, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
    patient,
  );
  onTestFinished(() => client.close());
  return client;
}
