import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callers, commands, runnable } from './commands-of-tree.ts';
import { freshHome, waybill } from './harness.ts';

const secret = 'wb_test_0123456789abcdef0123456789abcdef';
const styled = '\u001b[';

/** A home with the key in a file of it. */
function homeWithKey(): string {
  const home = freshHome();
  writeFileSync(join(home, 'key'), secret, { mode: 0o600 });
  return home;
}

describe.each(commands)('$words and color', ({ path }) => {
  const wrong = async (flags: string[], env: Record<string, string>, tty: boolean) => {
    const { stdout, stderr } = await waybill([...path, '--made-up', ...flags], { env, tty });
    return (stdout + stderr).includes(styled);
  };

  test('is on in a terminal and nowhere else', async () => {
    expect(await wrong([], {}, true)).toBe(true);
    expect(await wrong([], {}, false)).toBe(false);
  });

  test.each([
    [['--color', 'never'], {}],
    [[], { NO_COLOR: '1' }],
  ])('is off in a terminal with %j %j', async (flags, env) => {
    expect(await wrong(flags, env, true)).toBe(false);
  });
});

describe.each(callers)('$words, its settings and its secrets', (at) => {
  const unreachable = async (argv: string[], env: Record<string, string> = {}) => {
    const line = [...runnable(at), '--request-timeout', '1ms', ...argv];
    const { stdout, stderr, exit } = await waybill(line, { home: homeWithKey(), env });
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 7 });
    return stderr;
  };

  test('a flag overrides the environment, and that overrides the profile', async () => {
    const env = { WAYBILL_BASE_URL: 'http://127.0.0.1:1', WAYBILL_API_KEY: secret };
    expect(await unreachable([], env)).toContain('http://127.0.0.1:1');
    const flagged = await unreachable(['--base-url', 'http://127.0.0.1:2'], env);
    expect(flagged).toContain('http://127.0.0.1:2');
    expect(flagged).not.toContain('http://127.0.0.1:1');
  });

  test('a key from the environment or a file is in no output, not even with --debug and --curl', async () => {
    const debugFlags = ['--debug', '--curl'];
    const fromEnvironment = await waybill([...runnable(at), ...debugFlags], {
      env: { WAYBILL_API_KEY: secret },
    });
    const fromFile = await unreachable([
      ...debugFlags,
      '--base-url',
      'http://127.0.0.1:1',
      '--api-key-file',
      'key',
    ]);
    const text = fromEnvironment.stdout + fromEnvironment.stderr + fromFile;
    expect(text).toContain('curl');
    expect(text).toContain('WAYBILL_API_KEY');
    expect(text).not.toContain(secret);
  });
});
