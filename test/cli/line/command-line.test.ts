import { expect, test } from 'vitest';
import { commandLine } from '../../../src/cli/line/command-line.ts';

test('a command as it is typed: names with dashes, only what is given, quoted for a shell', () => {
  const flags = { externalOrderRef: "it's #1", all: true, watch: false, limit: 5, cursor: undefined };
  expect(commandLine(['orders', 'list'], flags)).toBe(
    `waybill orders list --external-order-ref 'it'\\''s #1' --all --limit 5`,
  );
});
