import { expect, test } from 'vitest';
import { plotCharsetFor } from '../../../../src/cli/kit/output/output-settings.ts';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { supportsHyperlinks, withHyperlinks } from '../../../../src/cli/kit/output/terminal-output.ts';
import type { PlotCharset } from '../../../../src/cli/kit/result/result.ts';
import { hostile, readings } from './hostile-text.ts';

const { box, lines } = await readings();
const getLine = lines.find(([noun, verb]) => noun === 'deliveries' && verb === 'get') ?? [];
const open = '\u001b]8;;';
const end = '\u001b\\';

test.each([
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.4.1' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0.9' }, false],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.85.0' }, true],
  [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '20240203-110809-5046fc22' }, true],
  [{ TERM_PROGRAM: 'Apple_Terminal', TERM_PROGRAM_VERSION: '450' }, false],
  [{ VTE_VERSION: '6800' }, true],
  [{ VTE_VERSION: '5000' }, false],
  [{ WT_SESSION: 'x' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'xterm-256color' }, false],
  [{ VTE_VERSION: '6800', CI: '1' }, false],
  [{ VTE_VERSION: '6800', TERM: 'dumb' }, false],
  [{ FORCE_HYPERLINK: '1', CI: '1' }, true],
  [{ FORCE_HYPERLINK: '0', VTE_VERSION: '6800' }, false],
])('%o supports links: %s', (environment, is) => {
  expect(supportsHyperlinks(environment)).toBe(is);
});

test('an address is a link to itself, without closing punctuation, and has the same width', () => {
  const text = withHyperlinks('See https://a.example/x?y=1&z=%20. (http://b.example/)');
  const link = (url: string) => `${open}${url}${end}${url}${open}${end}`;
  expect(text).toBe(`See ${link('https://a.example/x?y=1&z=%20')}. (${link('http://b.example/')})`);
  expect(displayWidth(text)).toBe(displayWidth('See https://a.example/x?y=1&z=%20. (http://b.example/)'));
  expect(withHyperlinks('https:// http://\u001b[1m')).toBe('https:// http://\u001b[1m');
});

test('addresses of a record are links in terminals that support them, with the same lines', async () => {
  const env = { VTE_VERSION: '7000' };
  for (const columns of [40, 100]) {
    const plain = await box.run(getLine, { tty: true, columns });
    const { stdout } = await box.run(getLine, { tty: true, columns, env });
    expect(plain.stdout).not.toContain(open);
    expect(stdout).toContain(`${open}http://127.0.0.1:4010/track/`);
    expect(stdout.replaceAll(/\p{Cc}\]8;;[!-~]*?\p{Cc}\\/gu, '')).toBe(plain.stdout);
  }
});

test.each([
  ['a pipe', { tty: false }, []],
  ['no colour', { tty: true }, ['--color', 'never']],
  ['NO_COLOR', { tty: true, env: { NO_COLOR: '1' } }, []],
  ['JSON', { tty: true }, ['--json']],
  ['a filter', { tty: true }, ['--jq', '.tracking_url']],
])('not with %s', async (_, { env = {}, tty }: { tty: boolean; env?: Record<string, string> }, flags) => {
  const { stdout } = await box.run([...getLine, ...flags], { tty, env: { FORCE_HYPERLINK: '1', ...env } });
  expect(stdout).toContain('/track/');
  expect(stdout).not.toContain(open);
});

test('third-party links are removed: each shown link has its own address', async () => {
  const transport = hostile(box.transport);
  const env = { FORCE_HYPERLINK: '1' };
  for (const line of lines) {
    const { stdout } = await box.run(line, { transport, tty: true, columns: 100, env });
    for (const [, to, shown] of stdout.matchAll(/\p{Cc}\]8;;([!-~]+)\p{Cc}\\(.*?)\p{Cc}\]8;;\p{Cc}\\/gu))
      expect(to).toBe(shown);
  }
});

test.each<[Record<string, string>, string, PlotCharset]>([
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
])('%o on %s: %s', (environment, platform, plotCharset) => {
  expect(plotCharsetFor({ environment, platform })).toBe(plotCharset);
});
