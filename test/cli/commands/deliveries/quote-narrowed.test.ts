import { expect, test } from 'vitest';
import { sandbox } from '../../sandbox.ts';

const box = await sandbox();
const line = [
  ...['deliveries', 'quote', '--pickup-address', '43 E Ohio St, Chicago, IL 60611'],
  ...['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
];

test.each([
  ['--request-signature', ['haulvan', 'swiftly']],
  ['--vehicle=box_truck', ['haulvan']],
])('%s limits the couriers that quote', async (flag, services) => {
  const { stdout } = await box.run([...line, flag, '-o', 'ndjson']);
  const found = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text).service);
  expect(found.sort()).toEqual(services);
});
