import { expect, test } from 'vitest';
import { quotedRoute, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const wide = { tty: true, columns: 140, env: { NO_COLOR: '1' } };

test.each([
  ['--cheapest', /Chosen: \w+, \$[\d.]+, the cheapest of \d quotes\.\n {4}\w+ +\$[\d.]+ +there at /],
  ['--fastest', /Chosen: \w+, \$[\d.]+, the fastest of \d quotes\.\n {4}\w+ +\$[\d.]+ +there at /],
])('explain says why a quote was taken by hand: %s', async (choice, said) => {
  const sent = await box.json(['dispatch', await quotedRoute(box), choice]);
  const [delivery] = Array.isArray(sent.deliveries) ? sent.deliveries : [];
  const { stdout } = await box.run(['deliveries', 'explain', delivery.id], wide);
  expect(stdout).toMatch(said);
  const { selection } = await box.json(['deliveries', 'explain', delivery.id]);
  expect(selection).toMatchObject({ provider: delivery.service, price: delivery.payment_amount });
});
