import { expect, test } from 'vitest';
import { newDelivery, quotedRoute, sandbox } from '../../sandbox.ts';

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
  const transport: typeof box.transport = async (request) => {
    const answer = await box.transport(request);
    const body = answer.body.replaceAll(/"dropoff_eta":"[^"]+"/g, '"dropoff_eta":"2026-03-02T11:00:00.000Z"');
    return { ...answer, body };
  };
  const tied = await box.run(['deliveries', 'explain', delivery.id], { ...wide, transport });
  expect(tied.stdout).toMatch(/ as fast as the others/);
  const { selection } = await box.json(['deliveries', 'explain', delivery.id]);
  expect(selection).toMatchObject({ provider: delivery.service, price: delivery.payment_amount });
});

test('explain says which couriers a retry left out, and why', async () => {
  const first = await newDelivery(box, '--initiate', '--ref', 'left-out');
  await box.json(['sandbox', 'step', first, 'driver_assigned']);
  await box.json(['sandbox', 'step', first, 'provider_canceled']);
  const again = await box.json(['deliveries', 'retry', first]);
  const { selection } = await box.json(['deliveries', 'explain', String(again.id)]);
  const { service } = await box.json(['deliveries', 'get', first]);
  expect(selection).toMatchObject({
    provider: again.service,
    reason: expect.stringMatching(/^the cheapest/),
    others: expect.arrayContaining([
      expect.objectContaining({ provider: service, left_out: 'it canceled an earlier try' }),
    ]),
  });
  const { stdout } = await box.run(['deliveries', 'explain', String(again.id)], wide);
  expect(stdout).toMatch(/there at \d\d:\d\d; left out: it canceled an earlier try$/m);
});
