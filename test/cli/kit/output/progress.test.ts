import { expect, test } from 'vitest';
import type { Host, Interruption } from '../../../../src/cli/kit/host/host.ts';
import { createProgressDisplay, showProgress } from '../../../../src/cli/kit/output/progress.ts';
import { widthOf } from '../../../../src/cli/kit/system/streams.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import { keys } from '../../fake-service.ts';
import { waybill } from '../../harness.ts';
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
  const progress = await showProgress(host, { quiet: false, accessible: false }, `Waiting for ${evil}`);
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
  const progress = await showProgress(host, { quiet, accessible: false }, 'Waiting');
  progress.say('Still waiting');
  progress.stop();
  expect(shown).toEqual([]);
});

const settings = { quiet: false, accessible: false } as const;

test.each([
  [{ isTTY: true, columns: 80 }, 80],
  [{ isTTY: true, columns: 0 }, null],
  [{ isTTY: true }, null],
  [{ columns: 80 }, null],
])('the width of %o is %s', (stream, width) => {
  expect(widthOf(stream)).toBe(width);
});

/** The display in a terminal with a number of columns, or without one. */
function shownOn(columns: number | null, isTerminal = true) {
  const shown: string[] = [];
  const host: Pick<Host, 'stderr' | 'spinner' | 'environment'> = {
    stderr: { isTerminal, columns, rows: null, write: async (text) => void shown.push(`line ${text}`) },
    spinner: async (text) => {
      shown.push(`spins ${text}`);
      return { text, stop: () => void shown.push(`stops ${text}`) };
    },
    environment: {},
  };
  const say = (text: string) => void shown.push(`says ${text}`);
  const waits = (debug: boolean) => createProgressDisplay(host, settings, { debug, say });
  return { waits, shown };
}

test('one spinner is shown at a time, and the command’s has priority', async () => {
  const { waits, shown } = shownOn(80);
  const all = waits(true);
  const aside = await all.openSecondary('catching up');
  const own = await all.open('quotes');
  await all.openSecondary('catching up');
  aside.stop();
  own.stop();
  own.stop();
  (await all.openSecondary('again')).stop();
  expect(shown).toEqual([
    ...['spins catching up', 'stops catching up', 'spins quotes', 'stops quotes'],
    ...['spins again', 'stops again'],
  ]);
});

test('a terminal of unknown width gets lines instead of a spinner', async () => {
  const { waits, shown } = shownOn(null);
  const progress = await waits(false).open('quotes');
  progress.say('more');
  expect(shown).toEqual(['line quotes\n', 'line more\n']);
});

test('a pipe gets waits only with --debug', async () => {
  const { waits, shown } = shownOn(null, false);
  await waits(false).openSecondary('catching up');
  expect(shown).toEqual([]);
  await waits(true).openSecondary('catching up');
  expect(shown).toEqual(['says * catching up']);
});

test('interrupted during catch-up, it does not claim that nothing was changed', async () => {
  const interruption: Interruption = { status: () => null, work: [], listen: () => {} };
  const said: (string | null)[] = [];
  const answers = keys();
  const transport: Transport = async (request) => {
    said.push(interruption.status()?.text ?? null);
    return answers(request);
  };
  await waybill(['keys', 'list'], { transport, interruption });
  expect(said.at(-1)).toMatch(/^This command changed nothing. The service was doing work that was due/);
  expect(interruption.status()?.text).toBe('Nothing was changed at the service.');
  const far = ['--base-url', 'http://127.0.0.1:9'];
  await waybill(['keys', 'list', ...far], {
    transport,
    interruption,
    env: { WAYBILL_API_KEY: 'wb_test_x0000000000000000' },
  });
  expect(said.at(-1)).toBe('Nothing was changed at the service.');
});
