import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { freshHome } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';
import { back, person, type Reply, typedOrder } from './person.ts';

const box = await sandbox();
const toDispatch = [
  ...typedOrder,
  ['What would you like to send?', 'Continue: create'],
  ['2 stops', 'Request'],
  ['Choose a quote', 'poolride'],
  ['Dispatch with poolride', 'Dispatch it'],
] as const;

const answer = (status: number, code: string) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ object: 'error', code, message: 'Not this time.', details: [] }),
});

/** Responds to dispatches with an error until it is fixed. */
function failing(status: number, code: string) {
  let isMended = false;
  const transport: Transport = async (request) =>
    isMended || !request.path.endsWith('/dispatch') ? box.transport(request) : answer(status, code);
  const mended: Reply = () => {
    isMended = true;
    return back;
  };
  return { transport, mended };
}

async function walk(transport: Transport, replies: readonly (readonly [string, Reply])[]) {
  const prompts = person([...toDispatch, ...replies]);
  const options = { home: freshHome(), tty: true, prompts, ...box.passing, transport };
  return { ...(await box.run(['new'], options)), left: prompts.left() };
}

test('after a refused dispatch another quote can be chosen', async () => {
  const { transport, mended } = failing(409, 'order_not_open');
  const { exit, left, stderr } = await walk(transport, [
    ['What now?', mended],
    ['Choose a quote', 'metrobike'],
    ['Dispatch with metrobike', 'Dispatch it'],
  ]);
  expect([exit, left]).toEqual([0, 0]);
  expect(stderr).toContain('Dispatched to metrobike');
});

test('a dispatch with an unknown outcome is settled before another quote is chosen', async () => {
  const { transport, mended } = failing(500, 'internal_error');
  const { exit, left, stderr } = await walk(transport, [['What now?', mended]]);
  expect([exit, left]).toEqual([0, 0]);
  expect(stderr).toContain('It is not known yet whether the route was dispatched.');
  expect(stderr).toContain('Dispatched to poolride');
});
