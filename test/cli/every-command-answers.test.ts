import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operationNamed } from '../../src/cli/help/facts/fact.ts';
import { factsOf } from '../../src/cli/help/facts/table.ts';
import { PipeClosed } from '../../src/cli/host.ts';
import { displayWidth } from '../../src/cli/output/width.ts';
import { everyOperation } from '../../src/contract/openapi.ts';
import { commands, type Entry } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { freshHome, type RunOptions } from './harness.ts';
import { misfits } from './shapes.ts';

const { ids, run } = await everyRecord();

/** Runs the line of a command on records as they were, with flags behind it. */
async function ran(entry: Entry, flags: readonly string[], options: RunOptions = {}) {
  const { words, stdin, endless, files = {} } = lineOf(entry, ids);
  const home = freshHome();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const controller = new AbortController();
  const { written } = options;
  return run([...words, ...flags], {
    home,
    ...(stdin === undefined ? {} : { stdin }),
    signal: controller.signal,
    ...options,
    written: (text) => {
      if (endless === true) queueMicrotask(() => controller.abort());
      written?.(text);
    },
  });
}

/** What stands on stdout as JSON: a document, or a line for each. */
function documents(stdout: string, isLines: boolean): unknown[] {
  const texts = isLines ? stdout.split('\n').filter((line) => line !== '') : [stdout];
  return texts.map((text): unknown => JSON.parse(text));
}

describe.each(commands.filter((entry) => lineOf(entry, ids).asksAlone !== true))('$words', (entry) => {
  const { answers, calls } = factsOf(entry.path, entry.command);

  test('--json is what help says, and nothing else', async () => {
    const { stdout, stderr, exit, sent } = await ran(entry, ['--json']);
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
    const found = documents(stdout, answers.every(({ form }) => form === 'lines') && answers.length > 0);
    expect(found.flatMap((data) => misfits(data, answers))).toEqual([]);
    if (entry.command.effect === 'none') return;
    for (const { method, path } of sent) expect(named(method, path), path).toSatisfy(isTold);
  });

  /** Whether help knows of a call; what every command may ask is told nowhere. */
  function isTold(id: string): boolean {
    const usual = ['GetAccount', 'GetClock', 'GetHealth'];
    return usual.includes(id) || calls.some((name) => operationNamed(name).id === id);
  }

  test('-q leaves stderr empty', async () => {
    const { stderr, exit } = await ran(entry, ['-q']);
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
  });

  test('NO_COLOR and TERM=dumb keep escapes out of a terminal, of 40 columns too', async () => {
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const { stdout, stderr, exit } = await ran(entry, [], {
        tty: true,
        columns: 40,
        env: { ...env, CI: '1' },
      });
      expect({ exit, escapes: (stdout + stderr).includes('\u001b') }).toEqual({ exit: 0, escapes: false });
      const { isProse = false } = lineOf(entry, ids);
      expect(isProse ? [] : stdout.split('\n').filter(isTooWide)).toEqual([]);
    }
  });

  test('a reader that leaves ends it quietly', async () => {
    const left = () => {
      throw new PipeClosed();
    };
    const { exit, stderr } = await ran(entry, ['-q'], { written: left });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  });
});

function named(method: string, path: string): string {
  const bare = path.split('?')[0] ?? '';
  const found = everyOperation.find((operation) =>
    [operation.path, ...(operation.aliases ?? [])].some(
      (known) =>
        operation.method === method && new RegExp(`^${known.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(bare),
    ),
  );
  return found?.id ?? `${method} ${bare}`;
}

/** Wider than the terminal for another reason than a word that cannot be broken. */
function isTooWide(line: string): boolean {
  const words = line.trim().split(/\s+/);
  return displayWidth(line) > 40 && words.every((word) => displayWidth(word) < 20);
}
