import { expect, test } from 'vitest';
import { PipeClosed } from '../../../../src/cli/kit/host/host.ts';
import { readings } from './hostile-text.ts';

const { box, lines } = await readings();
const ways = [
  ...['table', 'wide', 'tsv', 'csv', 'ndjson', 'json', 'id'].map((format) => ['-o', format]),
  ['--jq', '.'],
];

test.each(ways)('-q leaves stderr empty after a success: %s %s', async (...way) => {
  let seen = 0;
  for (const line of lines) {
    const { stdout, stderr, exit } = await box.run([...line, ...way, '-q'], { tty: true });
    if (exit !== 0) continue;
    seen += stdout === '' ? 0 : 1;
    expect(stderr, line.join(' ')).toBe('');
  }
  expect(seen).toBeGreaterThan(15);
});

test.each(ways)('a closed pipe is not an error: %s %s', async (...way) => {
  const written = () => {
    throw new PipeClosed();
  };
  for (const line of lines.slice(0, 9)) {
    const { stderr, exit } = await box.run([...line, ...way], { written });
    if (exit === 2) continue;
    expect([exit, stderr], line.join(' ')).toEqual([0, '']);
  }
});
