import { expect, test } from 'vitest';
import type { Transport } from '../../src/contract/operation.ts';
import { commands } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { errorOf } from './harness.ts';

const records = await everyRecord();

/** Every list has more pages with the same cursor. */
function repeating(transport: Transport): Transport {
  return async (request) => {
    const answer = await transport(request);
    if (!answer.body.includes('"has_more"')) return answer;
    const page: unknown = JSON.parse(answer.body);
    return { ...answer, body: JSON.stringify({ ...Object(page), has_more: true, next_cursor: 'again' }) };
  };
}

/** The cursor is sent once; its repetition is detected in the response. */
const unfiltered = (transport: Transport): Transport =>
  repeating((request) => transport({ ...request, path: request.path.replace(/[?&]cursor=again/, '') }));

const lists = commands.filter(({ command }) => 'all' in command.flags && 'cursor' in command.flags);
const max_requests = 8;

test('there are lists to test', () => expect(lists.length).toBeGreaterThan(8));

test.each(lists)('$words --all ends with exit 7 after a few requests', async (entry) => {
  const { words } = lineOf(entry, records.ids);
  const { exit, stderr, sent } = await records.run([...words, '--all', '--json'], { between: unfiltered });
  expect([exit, errorOf(stderr).code]).toEqual([7, 'unexpected_answer']);
  expect(sent.length).toBeLessThanOrEqual(max_requests);
});

test('deliveries explain ends with exit 7 after a few requests', async () => {
  const line = ['deliveries', 'explain', records.ids.delivered, '--json'];
  const { exit, stderr, sent } = await records.run(line, { between: unfiltered });
  expect([exit, errorOf(stderr).code]).toEqual([7, 'unexpected_answer']);
  expect(sent.length).toBeLessThanOrEqual(max_requests);
});

test('doctor reports it after a few requests', async () => {
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_test_madeup' };
  const { stdout, sent } = await records.run(['doctor', '--json'], { between: unfiltered, env });
  expect(stdout).toContain('next_cursor repeats');
  expect(sent.length).toBeLessThanOrEqual(2 * max_requests);
});
