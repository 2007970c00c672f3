import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { receiver } from '../cli/webhook-receiver.ts';
import { freshHome, inProcess, start } from './run.ts';

test('events of one process on the embedded service are forwarded by another', async () => {
  const home = freshHome();
  const server = await receiver();
  // Quotes must not expire before the dispatch.
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '60');
  const { stdout: secret } = await inProcess(home, 'listen', '--print-secret');
  const listener = start(home, ['listen', '--forward-to', server.url, '--json']);
  let output = '';
  listener.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output).toContain('"ready"');
  const { stdout: made } = await inProcess(home, ...orderLine, '-o', 'id');
  const { stdout: route } = await inProcess(home, 'routes', 'create', made.trim(), '-o', 'id');
  await inProcess(home, 'routes', 'quote', route.trim());
  await expect.poll(() => output).toContain('route_quotes.completed');
  expect((await inProcess(home, 'dispatch', route.trim(), '--cheapest', '--yes')).exit).toBe(0);
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '600');
  const statuses = () => server.came.map(({ body }) => JSON.parse(body).data.status);
  await expect.poll(statuses).toContain('delivered');
  const webhook = new Webhook(secret.trim());
  for (const { body, headers } of server.came) webhook.verify(body, headers);
  const numbers = server.came.map(({ body }) => JSON.parse(body).sequence).filter(Boolean);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  listener.kill('SIGTERM');
  await expect.poll(() => listener.signalCode).toBe('SIGTERM');
});
