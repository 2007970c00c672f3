import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { seedService } from '../fakes/seed-service/server.ts';
import { freshHome, waybill } from './run.ts';

test('the built program reaches a delivery at a service with few fields', async () => {
  const service = await seedService({ fields: 'minimal', list: 'array', step_ms: 20 });
  onTestFinished(() => service.close());
  const here = freshHome();
  const key = join(here.folder, 'key.txt');
  writeFileSync(key, 'key_1\n');
  const run = async (...argv: string[]) => {
    const { stdout, stderr, exit } = await waybill(here, ...argv);
    expect([argv[0], exit, stderr]).toEqual([argv[0], 0, stderr]);
    return stdout.trim();
  };
  await run('login', '--base-url', service.url, '--api-key-file', key, '--mode', 'test');
  const order = await run(...orderLine, '--ref', '#1042', '-o', 'id');
  const route = await run('routes', 'create', order, '-o', 'id');
  await run('routes', 'quote', route, '--wait', '--interval', '250ms');
  const id = await run('dispatch', route, '--cheapest', '-o', 'id');
  expect(JSON.parse(await run('deliveries', 'get', '#1042', '--json'))).toMatchObject({ id });
  expect(await run('deliveries', 'list', '-o', 'id')).toBe(id);
  expect(await run('deliveries', 'explain', id)).toContain('delivered');
  expect(await run('whoami')).toContain('account information');
});
