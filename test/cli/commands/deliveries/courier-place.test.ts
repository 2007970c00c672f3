import { expect, test } from 'vitest';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const people = { tty: true, env: { NO_COLOR: '1' } };
const minute = 60_000;

test('people see how far the courier is from the next stop, not bare coordinates', async () => {
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate', '--simulate', 'happy_path'];
  const id = String((await box.json(line)).id);
  const place = async () => (await box.json(['deliveries', 'explain', id])).courier_place;
  expect(await place()).toBeNull();
  await box.json(['sandbox', 'advance', '--until', `${id}:enroute_pickup`]);
  expect(await place()).toMatchObject({ stop: 'pickup', miles: expect.any(Number) });
  await box.json(['sandbox', 'advance', '--until', `${id}:pickup_complete`]);
  box.advance(5 * minute);
  const { stdout } = await box.run(['deliveries', 'get', id], people);
  expect(stdout).toMatch(/^Courier is +\d+(\.\d)? mi from the dropoff$/m);
  expect(stdout).not.toMatch(/41\.\d{2,}, -87/);
  const explained = await box.run(['deliveries', 'explain', id], people);
  expect(explained.stdout).toMatch(/^ {2}Now +\d+(\.\d)? mi from the dropoff$/m);
  await box.json(['sandbox', 'advance', '--until', `${id}:delivered`]);
  box.advance(5 * minute);
  const ended = await box.run(['deliveries', 'explain', id], people);
  expect(ended.stdout).toMatch(/^ {2}Last seen +at the dropoff, \d\d:\d\d \(\d+ min ago\)$/m);
});

test('--show-pii groups the digits of phone numbers', async () => {
  const { stdout } = await box.run(['deliveries', 'get', '0142', '--show-pii'], people);
  expect(stdout).toMatch(/^Dropoff phone +\+1 312 555 0142$/m);
});
