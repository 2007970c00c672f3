import { expect, test } from 'vitest';
import { type ColourOptions, colourLevel } from '../../../../src/cli/kit/output/colour.ts';

type Row = [string, Partial<ColourOptions>, number];

const table: Row[] = [
  ['a terminal', {}, 1],
  ['no terminal', { isTerminal: false }, 0],
  ['--color never goes before all', { mode: 'never', environment: { FORCE_COLOR: '3' } }, 0],
  [
    '--color always goes before NO_COLOR',
    { mode: 'always', environment: { NO_COLOR: '1' }, isTerminal: false },
    1,
  ],
  ['NO_COLOR', { environment: { NO_COLOR: '1' } }, 0],
  ['NO_COLOR with any text', { environment: { NO_COLOR: '0' } }, 0],
  ['an empty NO_COLOR has no effect', { environment: { NO_COLOR: '' } }, 1],
  ['NO_COLOR goes before FORCE_COLOR', { environment: { NO_COLOR: '1', FORCE_COLOR: '1' } }, 0],
  ['FORCE_COLOR in a pipe', { environment: { FORCE_COLOR: '1' }, isTerminal: false }, 1],
  ['FORCE_COLOR with a level', { environment: { FORCE_COLOR: '3' }, isTerminal: false }, 3],
  ['FORCE_COLOR=0', { environment: { FORCE_COLOR: '0' } }, 0],
  ['CLICOLOR_FORCE in a pipe', { environment: { CLICOLOR_FORCE: '1' }, isTerminal: false }, 1],
  ['CLICOLOR_FORCE=0 forces nothing', { environment: { CLICOLOR_FORCE: '0' }, isTerminal: false }, 0],
  ['CLICOLOR=0', { environment: { CLICOLOR: '0' } }, 0],
  ['TERM=dumb', { environment: { TERM: 'dumb' } }, 0],
  ['256 colours', { environment: { TERM: 'xterm-256color' } }, 2],
  ['all colours', { environment: { COLORTERM: 'truecolor' } }, 3],
];

test.each(table)('%s', (_, asked, level) => {
  expect(colourLevel({ mode: 'auto', environment: {}, isTerminal: true, ...asked })).toBe(level);
});
