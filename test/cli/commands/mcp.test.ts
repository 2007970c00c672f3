import { expect, test } from 'vitest';
import type { Transport } from '../../../src/contract/wire.ts';
import { waybill } from '../harness.ts';
import { sandbox } from '../sandbox.ts';

const opening = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
];

function lines(...messages: object[]): string {
  return messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
}

function answersIn(stdout: string) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function call(id: number, name: string, args: object = {}) {
  return { id, method: 'tools/call', params: { name, arguments: args } };
}

test('requests sent before stdin ends are answered, one message a line, in every format', async () => {
  const box = await sandbox();
  const stdin = lines(...opening, call(2, 'get_account'), { id: 3, method: 'tools/list' });
  for (const flags of [[], ['--json'], ['-o', 'table'], ['-o', 'tsv']]) {
    const { stdout, exit } = await box.run(['mcp', ...flags], { stdin });
    expect(exit).toBe(0);
    const answers = answersIn(stdout);
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    const account = answers.find(({ id }) => id === 2);
    expect(account.result.structuredContent).toMatchObject({ mode: 'test' });
  }
});

test('invalid input and an unknown tool are errors of the call, and a broken line does not end the session', async () => {
  const box = await sandbox();
  const wrong = call(2, 'ship_delivery', { pickup_address: 'x' });
  const stdin = `${lines(...opening, wrong)}{ not json\n${lines(call(3, 'nothing'), call(4, 'get_account'))}`;
  const { stdout } = await box.run(['mcp'], { stdin });
  const answers = new Map(answersIn(stdout).map((answer) => [answer.id, answer]));
  expect(answers.get(2).result.isError).toBe(true);
  expect(JSON.stringify(answers.get(2).result.content)).toContain('max_cost');
  expect(JSON.stringify(answers.get(3))).toContain('nothing');
  expect(answers.get(4).result.structuredContent).toMatchObject({ mode: 'test' });
});

test('in a terminal it prints how it is used, and a live key needs --live', async () => {
  const typed = await waybill(['mcp'], { tty: true });
  expect([typed.exit, typed.stdout]).toEqual([2, '']);
  expect(typed.stderr).toContain('stdin is a terminal');
  const box = await sandbox();
  const env = { WAYBILL_API_KEY: 'wb_live_madeup0000000000', WAYBILL_BASE_URL: 'https://live.test' };
  const transport: Transport = async (request) => {
    const response = await box.transport({ ...request, headers: {} });
    return { ...response, body: response.body.replaceAll('"test_mode":true', '"test_mode":false') };
  };
  const refused = await waybill(['mcp'], { env, transport, stdin: lines(...opening) });
  expect([refused.exit, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('--live');
  const stdin = lines(...opening, call(2, 'get_account'));
  const { stdout } = await waybill(['mcp', '--live'], { env, transport, stdin });
  expect(answersIn(stdout).find(({ id }) => id === 2).result.structuredContent).toMatchObject({
    mode: 'live',
  });
});
