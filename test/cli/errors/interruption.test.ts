import { expect, test } from 'vitest';
import { interruptionText } from '../../../src/cli/errors/error-codes.ts';
import { Interrupted } from '../../../src/cli/kit/errors/failure.ts';
import { invocation } from '../../../src/cli/kit/result/message.ts';
import type { Transport } from '../../../src/contract/operation.ts';
import { errorOf, freshHome, newInterruption, type RunOptions, waybill } from '../harness.ts';
import { orderLine, sandbox } from '../sandbox.ts';

const status = {
  text: 'POST /v2/orders was under way. Send it again with: `waybill orders create --resume`.',
  next: [invocation('orders create', [], { resume: true })],
};

test('people read what was done, by the signal', () => {
  expect(interruptionText('SIGINT', null, false)).toBe('\nInterrupted.\n');
  expect(interruptionText('SIGTERM', status, false)).toBe(`Terminated. ${status.text}\n`);
});

test('programs get one JSON object', () => {
  const text = interruptionText('SIGINT', status, true);
  expect(errorOf(text)).toEqual({
    ...{ code: 'interrupted', category: 'interrupted', exit: 130 },
    message: `Interrupted. ${status.text}`,
    next: [
      {
        command: 'waybill orders create --resume',
        args: ['orders', 'create', '--resume'],
        when: 'go on',
      },
    ],
  });
  expect(errorOf(interruptionText('SIGTERM', null, true))).toMatchObject({
    message: 'Terminated.',
    exit: 143,
  });
});

test('Ctrl+C at a prompt is reported in the format of the line: JSON if requested', async () => {
  const box = await sandbox();
  const answers = [new Interrupted()];
  const env = { WAYBILL_JSON: '0' };
  const { exit, stderr } = await box.run(['keys', 'create'], { tty: true, answers, env });
  expect([exit, stderr]).toEqual([130, '\nInterrupted. Nothing was changed at the service.\n']);
});

test.each([
  ['its first attempt', 0],
  ['another attempt', 1],
])('a write under way in %s is told with the key that makes it once', async (_, lost) => {
  const box = await sandbox();
  const interruption = newInterruption();
  const texts: unknown[] = [];
  const transport: Transport = async (request) => {
    if (request.method !== 'POST') return box.transport(request);
    texts.push(interruption.status()?.text);
    return texts.length > lost ? box.transport(request) : { status: 503, headers: {}, body: '' };
  };
  await box.run([...orderLine, '--idempotency-key', 'k-1'], { transport, interruption });
  expect(texts.at(-1)).toBe(
    'POST /orders/create was under way; whether it was done is not known. It is done once only if you repeat the command with --idempotency-key k-1',
  );
});

/** Whether signal handlers are installed before the command does anything. */
async function registersHandlers(line: string, options: RunOptions = {}): Promise<boolean> {
  let isListening = false;
  const listen = () => {
    isListening = true;
  };
  await waybill(line.split(' '), {
    ...options,
    interruption: { status: () => null, work: [], listen },
  });
  return isListening;
}

test.each(['deliveries list', 'deliveries get dlv_1', 'deliveries explain dlv_1', 'whoami'])(
  'a look-up outside of a terminal waits for nothing and listens to no signal: %s',
  async (line) => {
    await waybill(['deliveries', 'list']);
    expect(await registersHandlers(line)).toBe(false);
  },
);

test.each([
  'orders create',
  'orders cancel ord_1',
  'config set time iso',
  'completion bash',
  'profiles use sandbox',
])('a command that may write listens to signals at once: %s', async (line) => {
  expect(await registersHandlers(line)).toBe(true);
});

test('so does the first look-up, which stores the key that it created', async () => {
  const home = freshHome();
  expect(await registersHandlers('deliveries list', { home })).toBe(true);
  expect(await registersHandlers('deliveries list', { home })).toBe(false);
});
