import { expect, test } from 'vitest';
import { newDelivery, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const wide = { tty: true, columns: 140, env: { NO_COLOR: '1' } };
const waiting = await newDelivery(box, '--initiate', '--ref', 'W');
const ended = await newDelivery(box, '--initiate', '--ref', 'E');
await box.json(['deliveries', 'cancel', ended, '--operator', '--yes']);

test.each([
  [waiting, 'waiting for a driver', 'delivery_created'],
  [ended, 'canceled by the service', 'burq_canceled'],
])('what a list shows of %s, --status takes; get and explain name it', async (id, word, name) => {
  const listed = await box.run(['deliveries', 'list'], wide);
  expect(listed.stdout).toContain(word);
  for (const typed of [word, name, name.replace('_', ' ')]) {
    const { stdout } = await box.run(['deliveries', 'list', '--status', typed, '-o', 'id']);
    expect([typed, stdout.trim()]).toEqual([typed, id]);
  }
  for (const command of ['get', 'explain'])
    expect((await box.run(['deliveries', command, id], wide)).stdout).toContain(`${word} (${name})`);
});

test('get tells people what was charged in the end', async () => {
  const id = await newDelivery(box, '--initiate', '--ref', 'C');
  for (const status of ['pickup_complete', 'enroute_to_return', 'returned'])
    await box.json(['sandbox', 'step', id, status]);
  const charges = JSON.parse((await box.run(['charges', 'list', '--delivery', id, '--json'])).stdout);
  const sum = charges.reduce((all: number, { amount }: { amount: number }) => all + amount, 0);
  expect(charges.length).toBeGreaterThan(1);
  expect((await box.run(['deliveries', 'get', id])).stdout).toContain(`\ntotal_cost\t${sum}\n`);
  expect((await box.run(['deliveries', 'get', id], wide)).stdout).toMatch(
    new RegExp(`Charged +\\$${(sum / 100).toFixed(2)}`),
  );
});
