import { expect, test } from 'vitest';
import { render } from '../../../../src/cli/kit/output/show.ts';
import { record } from '../../../../src/cli/kit/result/result.ts';
import { sandbox } from '../../sandbox.ts';
import { plainOutput } from './plain.ts';

const box = await sandbox();
test.each([[['sandbox', 'clock', 'scaled', '--rate', '7']], [['sandbox', 'reset', '--yes']]])(
  '%s has no id to print: refused before anything is done',
  async (line) => {
    const before = box.requests.length;
    const { exit, stderr } = await box.run([...line, '-o', 'id']);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--output')]);
    expect(box.requests).toHaveLength(before);
  },
);

test('if the format is only known afterwards, the error says what was done', async () => {
  const field = { field: 'name', header: 'Name', kind: 'text' as const, value: () => 'Soup' };
  const answer = record({ id: 'str_1' }, [field]);
  const settings = { ...plainOutput, format: 'id' as const };
  const stdout = { isTerminal: false, columns: null, rows: null, write: async () => {} };
  const shown = (isWrite: boolean) =>
    render(answer, { stdout, settings, serviceNow: () => 0, isWrite, filter: null });
  await expect(shown(true)).rejects.toThrow(
    'There is no id in this answer: choose another format. What was asked for is done all the same: str_1.',
  );
  await expect(shown(false)).rejects.toThrow(/choose another format\.$/);
});
