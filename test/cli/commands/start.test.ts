import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, jsonOf, waybill } from '../harness.ts';

test.concurrent('a whole delivery, step by step, with the command of each; nothing of it stays', {
  timeout: 30_000,
}, async () => {
  const home = freshHome();
  const folder = mkdtempSync(join(home, 'tmp-'));
  const { stdout, exit } = await waybill(['start', '--json'], { home, env: { TMPDIR: folder } });
  expect(exit).toBe(0);
  const events = stdout.trim().split('\n').map(jsonOf);
  expect(events.map(({ type }) => type)).toEqual([...Array(6).fill('step'), 'done']);
  expect(events.map(({ command }) => String(command).split(' ').slice(1, 3).join(' ')).slice(0, 6)).toEqual([
    ...['orders create', 'routes create', 'routes quote', 'quotes list'],
    ...[expect.stringMatching(/^dispatch rte_/), 'deliveries get'],
  ]);
  expect(events[5]).toMatchObject({ data: { status: 'delivery_created', service: 'poolride' } });
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(home)).toEqual([expect.stringMatching(/^tmp-/)]);
});

test.concurrent('for people it is explained', { timeout: 30_000 }, async () => {
  const { stdout } = await waybill(['start'], { home: freshHome() });
  expect(stdout).toMatch(/^1\. Create an order\n/);
  expect(stdout).toContain("$ waybill orders create --pickup-address '43 E Ohio St, Chicago, IL 60611'");
  expect(stdout).toMatch(/poolride +\$5\.99 \+ \$0\.48 = \$6\.47/);
  expect(stdout).toContain('poolride takes it for $6.47.');
  expect(stdout).toContain('Next:\n  waybill orders create');
});
