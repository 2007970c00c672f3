import { expect, test } from 'vitest';
import { inkOf } from '../../../../src/cli/kit/output/format.ts';
import type { Ink } from '../../../../src/cli/kit/result/result.ts';

test.each<[Record<string, string>, string, Ink]>([
  [{ LANG: 'en_US.UTF-8' }, 'linux', 'blocks'],
  [{ LANG: 'C.utf8', TERM: 'xterm-256color' }, 'linux', 'blocks'],
  [{ LC_CTYPE: 'UTF-8' }, 'darwin', 'blocks'],
  [{ LC_ALL: 'C', LC_CTYPE: 'UTF-8', LANG: 'en_US.UTF-8' }, 'linux', 'ascii'],
  [{ LC_ALL: '', LANG: 'en_US.ISO-8859-1' }, 'linux', 'ascii'],
  [{}, 'linux', 'ascii'],
  [{ LANG: 'en_US.UTF-8', TERM: 'dumb' }, 'linux', 'ascii'],
  [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, 'linux', 'ascii'],
  [{}, 'win32', 'ascii'],
  [{ WT_SESSION: '1' }, 'win32', 'blocks'],
])('%o on %s: %s', (environment, platform, ink) => {
  expect(inkOf({ environment, platform })).toBe(ink);
});
