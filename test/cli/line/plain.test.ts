import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Flags } from '../../../src/cli/command.ts';
import { takenApart } from '../../../src/cli/line/commander.ts';
import { globalsFor } from '../../../src/cli/line/globals.ts';
import { plainWords, type Texts } from '../../../src/cli/line/plain.ts';
import { commands as tree } from '../commands-of-tree.ts';

/** Every command with all the flags that it takes. */
const commands = tree.map(({ path, command }) => ({
  path,
  flags: { ...globalsFor(command), ...command.flags },
}));

/** Words that a line of these flags may have, right and wrong. */
function wordsFor(flags: Flags): fc.Arbitrary<string> {
  const longs = Object.entries(flags).flatMap(([name, { aliases }]) => {
    const long = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [long, ...aliases].flatMap((each) => [`--${each}`, `--no-${each}`, `--${each}=`, `--${each}=a=b`]);
  });
  const shorts = Object.values(flags).flatMap(({ short }) =>
    short === null ? [] : [`-${short}`, `-${short}x`, `-${short}=x`, `-q${short}`],
  );
  const values = ['', '-', '-1', '--', 'a', 'a b', '=', 'true', '--unknown', '-?', 'dlv_1'];
  return fc.oneof(fc.constantFrom(...longs), fc.constantFrom(...shorts), fc.constantFrom(...values));
}

test('a plain line is taken apart as Commander does', () => {
  let plain = 0;
  const lines = fc
    .constantFrom(...commands)
    .chain(({ path, flags }) =>
      fc.array(wordsFor(flags), { maxLength: 5 }).map((tokens) => ({ path, flags, tokens })),
    );
  const check = (line: { path: readonly string[]; flags: Flags; tokens: string[] }) => {
    const given: Texts = new Map();
    const words = plainWords(line, given);
    if (words === null) {
      expect(given.size).toBe(0);
      return;
    }
    plain += 1;
    const theirs: Texts = new Map();
    expect(takenApart(line, theirs)).toEqual({ words, help: false });
    expect([...given]).toEqual([...theirs]);
  };
  fc.assert(fc.property(lines, check), { numRuns: 3000 });
  expect(plain).toBeGreaterThan(500);
});

test.each([
  ['--output', 'json', 'a'],
  ['-o', 'table'],
  ['--json=id', '--no-input'],
  ['dlv_1', '--quiet'],
])('%s needs no Commander', (...tokens) => {
  const [line] = commands;
  expect(plainWords({ path: [], flags: line?.flags ?? {}, tokens }, new Map())).not.toBeNull();
});
