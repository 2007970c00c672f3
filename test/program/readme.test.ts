import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, type Home, root, script, serve, waybill } from './run.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The first shell block behind a heading. */
function block(heading: string): string {
  const [, code = ''] = /```sh\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf(heading))) ?? [];
  return code;
}

async function firstDelivery(home: Home): Promise<Record<string, unknown>> {
  const { stdout, stderr, exit } = await script(home, block('## A first delivery by hand'));
  expect(exit, stderr).toBe(0);
  const id = /dlv_[0-9A-Z]+/.exec(stdout)?.[0] ?? '';
  const got = await waybill(home, 'deliveries', 'get', id, '--json');
  expect(got.exit, got.stderr).toBe(0);
  return JSON.parse(got.stdout);
}

test('the first delivery of the README works line by line, embedded and against a served process', async () => {
  const embedded = await firstDelivery(freshHome());
  const host = freshHome();
  const { url, keys, stop } = await serve(host);
  const served = await firstDelivery(freshHome({ WAYBILL_BASE_URL: url, WAYBILL_API_KEY: keys.test }));
  await stop();
  expect(embedded).toMatchObject({ status: 'delivery_created', service: 'poolride', payment_amount: 647 });
  expect(Object.keys(served)).toEqual(Object.keys(embedded));
  const stable = ['service', 'status', 'payment_amount', 'pickup_address', 'dropoff_phone_number', 'items'];
  for (const field of stable) expect(served[field], field).toEqual(embedded[field]);
}, 60_000);

test('the README names every command and every exit code of the program', async () => {
  const { stdout } = await waybill(freshHome(), 'commands', '--json');
  const commands: { command: string }[] = JSON.parse(stdout);
  expect(commands.length).toBeGreaterThan(20);
  for (const { command } of commands.filter((each) => each.command !== 'commands')) {
    const [group = '', verb = group] = command.split(' ');
    const rows = readme.split('\n').filter((row) => row.startsWith('|') && row.includes(`\`${group}`));
    expect(rows.join('\n'), command).toContain(verb);
  }
  const codes = (await waybill(freshHome(), 'help', 'exit-codes')).stdout.matchAll(/^ {2}(\d+)/gm);
  for (const [, code] of codes) expect(readme).toMatch(new RegExp(`^\\| (\\d+, )?${code}(, \\d+)? \\|`, 'm'));
});
