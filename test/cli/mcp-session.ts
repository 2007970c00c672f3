import type { Outcome, RunOptions } from './harness.ts';

/** What an assistant sends first. */
export const opening = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
];

/** Messages as they come on stdin, one a line. */
export function messageLines(...messages: object[]): string {
  return messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
}

/** The messages that were written. */
export function answersIn(stdout: string) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export function call(id: number, name: string, args: object = {}) {
  return { id, method: 'tools/call', params: { name, arguments: args } };
}

type Run = (argv: readonly string[], options: RunOptions) => Promise<Outcome>;

/** The result of a tool, in a session of its own; all that was written if there is none. */
export async function toolResult(run: Run, name: string, args: object, options: RunOptions = {}) {
  const { stdout } = await run(['mcp'], { ...options, stdin: messageLines(...opening, call(2, name, args)) });
  const answers = answersIn(stdout);
  return answers.find(({ id }) => id === 2)?.result ?? answers;
}
