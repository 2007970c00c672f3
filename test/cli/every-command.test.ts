import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { helpPages } from '../../src/cli/help/help-pages.ts';
import { flagLabel } from '../../src/cli/kit/args/command-input.ts';
import { globalFlags, globalsFor } from '../../src/cli/kit/args/global-flags.ts';
import { newLineState } from '../../src/cli/kit/args/line-parser.ts';
import { commandFaults } from '../../src/cli/kit/args/missing-input.ts';
import { runLine } from '../../src/cli/kit/args/run-line.ts';
import { dashed } from '../../src/cli/kit/result/message.ts';
import { tree } from '../../src/cli/tree.ts';
import { oneOf } from '../in-part.ts';
import { callers, commands, type Entry, runnable, wordsOf } from './commands-of-tree.ts';
import { errorOf, freshHome, waybill } from './harness.ts';
import { narrow, tooWide } from './narrow.ts';

const pages = await helpPages(tree);

/** A single word, with a line continuation or comment marker. */
function isUnbreakable(line: string): boolean {
  return /^\s*(?:# )?(?:[^\s'"]|'[^']*'|"[^"]*")+(?: \\)?$/.test(line);
}

describe.each(commands)('$words', (at) => {
  const { path, command } = at;

  test('has a summary, and one for each flag', () => {
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/);
    for (const [name, flag] of Object.entries(command.flags)) {
      expect(flag.summary, name).not.toBe('');
      expect(Object.keys(globalFlags), `--${name} is a global flag`).not.toContain(name);
    }
    const shorts = Object.values({ ...globalsFor(command), ...command.flags }).flatMap(
      ({ short }) => short ?? [],
    );
    expect(new Set(shorts).size).toBe(shorts.length);
  });

  test('-h exits 0 with usage and an example, under each name', async () => {
    for (const name of [command.name, ...command.aliases]) {
      const line = [...path.slice(0, -1), name];
      const { stdout, stderr, exit } = await waybill([...line, '-h']);
      expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
      expect(stdout).toContain(`waybill ${path.join(' ')}`);
      expect(stdout).toContain('Examples\n  # ');
      expect(stdout.match(/^[A-Z].*$/gm)?.slice(1, 3)).toEqual(['Usage', 'Examples']);
      expect(pages[`${line.join(' ')} -h`]).toBe(stdout);
      const whole = await waybill([...line, '--help']);
      expect(pages[line.join(' ')]).toBe(whole.stdout);
      expect(whole.stdout).toContain('Examples\n  # ');
      const isWide = (text: string) => text.length > 80 && !text.includes("'");
      expect(whole.stdout.split('\n').filter(isWide)).toEqual([]);
    }
  });

  test('-h is short: usage, at most three examples and ten flags, in 40 lines of 80 columns', () => {
    const stdout = pages[`${path.join(' ')} -h`] ?? '';
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.filter((line) => line.startsWith('  # ')).length).toBeLessThanOrEqual(3);
    const flags = lines.filter((line) => /^ {2}-/.test(line)).map((line) => line.match(/--([a-z-]+)/)?.[1]);
    expect(flags.length).toBeLessThanOrEqual(10);
    const required = Object.entries(command.flags).filter(([, flag]) => flag.required === true);
    expect(flags).toEqual(expect.arrayContaining(required.map(([name]) => dashed(name))));
    const [name, end] = [path.join(' '), stdout.replaceAll(/\s+/g, ' ').trimEnd()];
    expect(end.endsWith(`waybill ${name} --help, or, about a word, waybill help ${name} WORD`), end).toBe(
      true,
    );
  });

  test('its whole help lists the statuses at most once', () => {
    const lists = (pages[path.join(' ')] ?? '')
      .replaceAll(/\s+/g, ' ')
      .match(/driver_assigned(, | \| )enroute_pickup(, | \| )arrived/g);
    expect(lists?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test('its help fits 40 columns, except for lines that cannot be broken', async () => {
    const { stdout } = await waybill([...path, '--help'], { tty: true, columns: narrow });
    const wide = stdout.split('\n').filter((line) => line.length > 40);
    expect(wide.filter((line) => !isUnbreakable(line))).toEqual([]);
  });

  test('parses each of its examples', async () => {
    for (const example of command.examples) {
      const words = wordsOf(example.command, at.words);
      const unexpected = () => Promise.reject(new Error(example.command));
      const line = { tree, argv: words, environment: {}, state: newLineState() };
      await runLine(line, {
        ...{
          commandFound: () => {},
          help: unexpected,
          withoutCommand: unexpected,
          opensWizard: () => false,
          unknownCommand: unexpected,
        },
        command: async (named, found, parsed) => {
          expect(named, example.command).toEqual(path);
          const faults = commandFaults(found, parsed);
          expect(faults, example.command).toEqual({ missing: [], invalid: [], oneOf: [] });
          return 0;
        },
      });
    }
  });
});

describe.each(commands.filter(oneOf(2)))('$words, given what is wrong', ({ path, command }) => {
  test('its errors fit 40 columns, except for words that are never broken', async () => {
    const options = { tty: true, columns: narrow, env: { CI: '1', NO_COLOR: '1' } };
    const { missing } = command.check({ flags: new Map(), words: [] });
    const nothing: string[][] = missing.length > 0 ? [[]] : [];
    for (const flags of [['--made-up'], ['--output', 'nothing'], ...nothing]) {
      const { stdout, stderr, exit } = await waybill([...path, ...flags], options);
      expect({ stdout, exit, wide: tooWide(stderr) }).toEqual({ stdout: '', exit: 2, wide: [] });
    }
  });

  test('an unknown flag exits 2 with one JSON error and an empty stdout', async () => {
    const { stdout, stderr, exit } = await waybill([...path, '--made-up', '--json']);
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
    expect(errorOf(stderr)).toMatchObject({ code: 'unknown_flag', category: 'usage' });
  });
});

/** The first command of each noun: the others are read in the same way. */
const isFirst = ({ path }: Entry, _: number, all: readonly Entry[]) =>
  all.find((each) => each.path[0] === path[0])?.path === path;

test.each(commands.filter(isFirst))(
  '$words: --help works anywhere on the line, even beside invalid arguments',
  async (at) => {
    const { path, command } = at;
    const [whole, short] = [pages[path.join(' ')], pages[`${path.join(' ')} -h`]];
    const [noun = '', ...verb] = path;
    const lines = [
      ['-h', ...path],
      [noun, '--help', ...verb],
      [...path, '--made-up', 'x', '--help'],
      [...path, 'a', 'b', 'c', '-h', '--output', 'nothing'],
      ['help', ...path],
      // `--help` is not taken as the value of the flag before it; of one command each flag is tried, of others two.
      ...(at === callers[0]
        ? Object.keys({ ...globalsFor(command), ...command.flags })
        : Object.keys(command.flags).slice(0, 2)
      ).map((name) => [...path, flagLabel(name), '-h']),
    ];
    for (const line of lines) {
      const stdout = line.includes('--help') ? whole : short;
      expect(await waybill(line)).toEqual({ stdout, stderr: '', exit: 0 });
    }
    expect((await waybill([...path, '-h', '--help'])).stdout).toBe(whole);
  },
);

const secret = 'wb_test_0123456789abcdef0123456789abcdef';

async function unreachable(at: Entry, argv: string[], env: Record<string, string> = {}): Promise<string> {
  const home = freshHome();
  writeFileSync(join(home, 'key'), secret, { mode: 0o600 });
  const line = [...runnable(at), '--request-timeout', '1ms', ...argv];
  const { stdout, stderr, exit } = await waybill(line, { home, env });
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 7 });
  return stderr;
}

const place = ['--base-url', 'http://127.0.0.1:1', '--api-key-file', 'key'];

describe.each(callers.filter(oneOf(3)))('$words calls the service', (at) => {
  test('an unreachable service exits 7 with a JSON error', async () => {
    expect(errorOf(await unreachable(at, [...place, '--json']))).toMatchObject({ category: 'unreachable' });
  });

  test('an unknown key exits 4 with a JSON error', async () => {
    const env = { WAYBILL_API_KEY: secret };
    const { stdout, stderr, exit } = await waybill([...runnable(at), '--json'], { env });
    expect({ stdout, exit, stderr }).toMatchObject({ stdout: '', exit: 4 });
    expect(errorOf(stderr)).toMatchObject({ code: 'unauthorized', category: 'authentication', status: 401 });
    expect(stderr).not.toContain(secret);
  });

  test('a key from the environment or a file is in no output, not even with --debug and --curl', async () => {
    const shown = ['--debug', '--curl'];
    const env = { WAYBILL_API_KEY: secret };
    const fromEnvironment = await waybill([...runnable(at), ...shown], { env });
    const text =
      fromEnvironment.stdout + fromEnvironment.stderr + (await unreachable(at, [...shown, ...place]));
    expect(text).toContain('curl');
    expect(text).toContain('WAYBILL_API_KEY');
    expect(text).not.toContain(secret);
  });
});

// The settings of other commands come from the same places.
test.each(callers.filter(isFirst))(
  '$words: a flag overrides the environment, and that overrides the profile',
  async (at) => {
    const env = { WAYBILL_BASE_URL: 'http://127.0.0.1:1', WAYBILL_API_KEY: secret };
    expect(await unreachable(at, [], env)).toContain('http://127.0.0.1:1');
    const flagged = await unreachable(at, ['--base-url', 'http://127.0.0.1:2'], env);
    expect(flagged).toContain('http://127.0.0.1:2');
    expect(flagged).not.toContain('http://127.0.0.1:1');
  },
);
