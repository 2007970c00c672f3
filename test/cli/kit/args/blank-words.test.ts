import { expect, test } from 'vitest';
import { placeLabel } from '../../../../src/cli/kit/args/input.ts';
import { commands } from '../../commands-of-tree.ts';
import { errorOf } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';

const box = await sandbox();
const placed = commands.flatMap(({ path, words, command }) =>
  Object.keys(command.positionals).map((name, index) => ({ path, words, index, label: placeLabel(name) })),
);

test.each(placed)('$words refuses an empty $label, such as an unset variable', async (place) => {
  const before = box.requests.length;
  for (const blank of ['', '  ']) {
    const words = [...Array.from({ length: place.index }, () => 'set'), blank];
    const { exit, stdout, stderr } = await box.run([...place.path, ...words, '--json']);
    expect([exit, stdout]).toEqual([2, '']);
    const { message, next } = errorOf(stderr);
    expect(message).toContain(`${place.label} must not be empty.`);
    expect(JSON.stringify(next), 'no suggested command has the empty word').not.toMatch(/"\s*"/);
  }
  expect(box.requests).toHaveLength(before);
});

test('an empty extra argument is named, and an empty flag refused as well', async () => {
  const excess = await box.run(['deliveries', 'list', '', '--json']);
  expect([excess.exit, errorOf(excess.stderr).message]).toEqual([
    2,
    expect.stringMatching(/^"" is an unexpected argument/),
  ]);
  const flag = await box.run(['charges', 'list', '--delivery', '', '--json']);
  expect([flag.exit, errorOf(flag.stderr).message]).toEqual([2, expect.stringContaining('--delivery')]);
});
