import { expect, test } from 'vitest';
import { errorOf } from '../harness.ts';
import { newDelivery, sandbox } from '../sandbox.ts';

const box = await sandbox();
await newDelivery(
  box,
  '--dropoff-name',
  'Maria Rossi',
  '--dropoff-address',
  '500 Michigan Ave, Chicago, IL 60611',
);

test('a search for a street finds its other forms', async () => {
  const { stdout } = await box.run(['deliveries', 'list', '--search', 'N Michigan Avenue']);
  expect(stdout).toContain('Maria Rossi');
});

test('a search without a result names the words that match nothing, and similar ones', async () => {
  const got = await box.run(['deliveries', 'get', 'maria rossy', '--json']);
  expect([got.exit, errorOf(got.stderr).code]).toEqual([5, 'record_not_found']);
  for (const line of [
    ['deliveries', 'get', 'maria rossy'],
    ['deliveries', 'list', '--search', 'rossy'],
    ['orders', 'list', '--search', 'Rossy'],
  ]) {
    const { stderr } = await box.run(line);
    expect(stderr, line.join(' ')).toContain('Nothing contains "rossy". Did you mean "Rossi"?');
  }
  const apart = await newDelivery(box, '--dropoff-name', 'Tom Ford').then(() =>
    box.run(['deliveries', 'get', 'tom rossi']),
  );
  expect(apart.stderr).toContain('Each of the words is found, but not all of them together.');
});
