import { expect, test } from 'vitest';
import { freshHome, type RunOptions, waybill } from './harness.ts';

/** Whether signal handlers are installed before the command does anything. */
async function isHeard(line: string, options: RunOptions = {}): Promise<boolean> {
  let heard = false;
  const listen = () => {
    heard = true;
  };
  await waybill(line.split(' '), {
    ...options,
    interruption: { standing: () => null, work: [], listen },
  });
  return heard;
}

test.each(['deliveries list', 'deliveries get dlv_1', 'deliveries explain dlv_1', 'whoami'])(
  'a look that nobody sees waits for nothing, and listens to no signal: %s',
  async (line) => {
    await waybill(['deliveries', 'list']);
    expect(await isHeard(line)).toBe(false);
  },
);

test.each([
  'orders create',
  'orders cancel ord_1',
  'config set time iso',
  'completion bash',
  'profiles use sandbox',
])('what may write anything listens at once: %s', async (line) => {
  expect(await isHeard(line)).toBe(true);
});

test('so does the first look of all, which keeps the key that it made', async () => {
  const home = freshHome();
  expect(await isHeard('deliveries list', { home })).toBe(true);
  expect(await isHeard('deliveries list', { home })).toBe(false);
});

test('so does a look in a terminal, which keeps what was seen', async () => {
  expect(await isHeard('deliveries list', { tty: true })).toBe(true);
});
