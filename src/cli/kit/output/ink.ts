import type { Host } from '../host/host.ts';
import type { Ink } from '../result/result.ts';

/**
 * The ink of a terminal. Its locale says what it can show: the first of LC_ALL, LC_CTYPE and LANG that is set (POSIX,
 * environment variables); where none is, nothing but ASCII is sure. Windows has no locale variables: its newer
 * terminals name themselves.
 */
export function inkOf({ environment, platform }: Pick<Host, 'environment' | 'platform'>): Ink {
  const { TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION, TERM_PROGRAM } = environment;
  if (TERM === 'dumb' || TERM === 'linux') return 'ascii';
  const locale = LC_ALL || LC_CTYPE || LANG;
  if (locale) return /utf-?8/i.test(locale) ? 'blocks' : 'ascii';
  return platform === 'win32' && (WT_SESSION || TERM_PROGRAM) ? 'blocks' : 'ascii';
}
