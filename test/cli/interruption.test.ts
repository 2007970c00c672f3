import { expect, test } from 'vitest';
import { freshHome, type RunOptions, waybill } from './harness.ts';

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
