import { expect, onTestFinished, test } from 'vitest';
import { strippingProxy } from '../../fakes/stripping-proxy.ts';
import { freshHome, type RunOptions, waybill } from '../harness.ts';
import { orderLine, sandbox, startedAt } from '../sandbox.ts';

/** Waybill's own service without all that the public interface does not name, and its clock. */
async function stripped() {
  const box = await sandbox();
  const created = await box.json(['keys', 'create', '--permission', 'write']);
  const proxy = await strippingProxy(box.transport, String(created.key));
  onTestFinished(() => proxy.close());
  const home = freshHome();
  let now = startedAt;
  const advance = (ms: number) => {
    now += ms;
    box.advance(ms);
  };
  const sleep = async (ms: number) => advance(ms);
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    waybill(argv, { home, sleep, now: () => now, ...options });
  const words = ['--base-url', proxy.url, '--with-token', '--insecure-storage', '--mode', 'test'];
  expect(await run(['login', ...words], { stdin: 'key_other' })).toMatchObject({ exit: 0 });
  const json = async (argv: readonly string[]) => {
    const { stdout, stderr, exit } = await run([...argv, '--json']);
    expect([argv, exit, stderr]).toEqual([argv, 0, stderr]);
    return JSON.parse(stdout);
  };
  return { advance, run, json };
}

test('the five steps work behind a proxy that strips the service to the public interface', async () => {
  const { advance, run, json } = await stripped();
  const order = (await json([...orderLine, '--ref', '#1042'])).id;
  const route = (await json(['routes', 'create', order])).id;
  await json(['routes', 'quote', route]);
  expect((await run(['quotes', 'list', route, '--watch'])).exit).toBe(0);
  const dispatched = await run(['dispatch', route, '--cheapest']);
  expect(dispatched).toMatchObject({ exit: 0, stderr: expect.stringContaining('Dispatched to') });
  advance(3_600_000);
  expect(await json(['deliveries', 'get', '#1042'])).toMatchObject({ status: 'delivered' });
  expect(await json(['deliveries', 'list'])).toHaveLength(1);
  expect(await json(['whoami'])).toMatchObject({ mode: 'test', account: null });
});
