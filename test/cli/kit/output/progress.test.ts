import { expect, test } from 'vitest';
import { progressOn } from '../../../../src/cli/kit/output/progress.ts';
import { obeyed } from './hostile-text.ts';

const evil = 'Joe\u001b[2J\u001b]0;t\u0007\u009b31m\u202e\u200b\revil\nforged';

/** A terminal with everything that it shows of a wait. */
function screen(environment: Record<string, string>) {
  const shown: string[] = [];
  const write = async (text: string) => void shown.push(text);
  const host = {
    environment,
    stderr: { isTerminal: true, columns: 80, rows: 24, write },
    spinner: async (text: string) => {
      shown.push(text);
      return {
        set text(next: string) {
          shown.push(next);
        },
        stop: () => {},
      };
    },
  };
  return { host, shown };
}

test.each([
  ['a spinner', {}],
  ['lines', { TERM: 'dumb' }],
])('third-party text has no control characters and no line of its own: %s', async (_, environment) => {
  const { host, shown } = screen(environment);
  const progress = await progressOn(host, { quiet: false, accessible: false }, `Waiting for ${evil}`);
  progress.say(`Still waiting for ${evil}`);
  expect(shown.map((text) => text.trimEnd())).toEqual([
    'Waiting for Joe evil forged',
    'Still waiting for Joe evil forged',
  ]);
  expect(obeyed.test(shown.join(''))).toBe(false);
});

test.each([
  ['-q', {}, true],
  ['-q on a terminal that is not redrawn', { TERM: 'dumb' }, true],
  ['continuous integration', { CI: 'true' }, false],
])('nothing is shown with %s', async (_, environment, quiet) => {
  const { host, shown } = screen(environment);
  const progress = await progressOn(host, { quiet, accessible: false }, 'Waiting');
  progress.say('Still waiting');
  progress.stop();
  expect(shown).toEqual([]);
});
