import { describe, expect, test } from 'vitest';
import { collectFacts, operationNamed } from '../../src/cli/help/command-facts.ts';
import { PipeClosed } from '../../src/cli/kit/host/host.ts';
import { shownRequestOf } from '../../src/cli/session/request-text.ts';
import { everyOperation } from '../../src/contract/openapi.ts';
import type { WireRequest } from '../../src/contract/operation.ts';
import { oneOf } from '../in-part.ts';
import { commands } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { runsOf } from './every-run.ts';
import { narrow, tooWide } from './narrow.ts';
import { misfits } from './shapes.ts';
import { curlsIn, requestsIn, withShellKey } from './shell-words.ts';

const records = await everyRecord();
const { ids } = records;
const ran = runsOf(records);
/** With their lines these send nothing, or report what is unusable without sending. */
const silent: readonly string[] = ['listen', 'doctor'];
const answering = commands.filter((entry) => lineOf(entry, ids).asksAlone !== true);

/** The sent requests, and the curl commands shown for them. */
const shown: { sent: WireRequest[]; curls: string[] } = { sent: [], curls: [] };

/** Parses stdout as JSON: a document, or one per line. */
function documents(stdout: string, isLines: boolean): unknown[] {
  const texts = isLines ? stdout.split('\n').filter((line) => line !== '') : [stdout];
  return texts.map((text): unknown => JSON.parse(text));
}

describe.each(answering)('$words', (entry) => {
  const { answers, calls } = collectFacts(entry.path, entry.command);
  const curl = entry.command.connectionFlags.includes('curl') ? ['--curl'] : [];

  test('--json prints the document that help names, and nothing else', async () => {
    const env = { FORCE_COLOR: '1', FORCE_HYPERLINK: '1' };
    const { stdout, stderr, exit, sent } = await ran(entry, ['--json', ...curl], { env });
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
    const found = documents(stdout, answers.every(({ form }) => form === 'lines') && answers.length > 0);
    expect(found.flatMap((data) => misfits(data, answers))).toEqual([]);
    shown.sent.push(...sent);
    shown.curls.push(...curlsIn(stderr));
    expect(curlsIn(stderr)).toHaveLength(sent.length);
    if (curl.length > 0 && !silent.includes(entry.words)) expect(sent.length).toBeGreaterThan(0);
    if (entry.command.effect === 'none') return;
    for (const { method, path } of sent) expect(named(method, path), path).toSatisfy(isTold);
  });

  /** Whether help documents a call; those that every command may make are not documented. */
  function isTold(id: string): boolean {
    const usual = ['GetAccount', 'GetClock', 'GetHealth'];
    return usual.includes(id) || calls.some((name) => operationNamed(name).id === id);
  }
});

// Escapes of the others are seen in every-command-hostile.test.ts.
describe.each(answering.filter(oneOf(2)))('$words in a terminal', (entry) => {
  test('NO_COLOR keeps escapes out of a terminal, also with 40 columns', async () => {
    const env = { NO_COLOR: '1', CI: '1' };
    const { stdout, stderr, exit } = await ran(entry, [], { tty: true, columns: narrow, env });
    expect({ exit, escapes: (stdout + stderr).includes('\u001b') }).toEqual({ exit: 0, escapes: false });
    const { isCode = false } = lineOf(entry, ids);
    expect(isCode ? [] : tooWide(stdout + stderr)).toEqual([]);
  });
});

describe.each(answering.filter(oneOf(3)))('$words in a pipe', (entry) => {
  test('-q keeps stderr empty; the output has no color, even if forced', async () => {
    const { stdout, stderr, exit } = await ran(entry, ['-q'], { env: { FORCE_COLOR: '1' } });
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
    expect(stdout).not.toContain('\u001b');
  });

  test('a reader that closes the pipe ends it quietly', async () => {
    const left = () => {
      throw new PipeClosed();
    };
    const { exit, stderr } = await ran(entry, ['-q'], { written: left });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  });
});

test('the command of --curl has the same effect in a shell, for every command that sends', () => {
  const made = requestsIn(shown.curls);
  expect(made.filter(({ method }) => method !== 'GET').length).toBeGreaterThan(30);
  const inOrder = (requests: WireRequest[]) => requests.map((request) => JSON.stringify(request)).sort();
  // The settings of a courier are never shown.
  const sent = shown.sent.map((request) => shownRequestOf(withShellKey(request)));
  expect(inOrder(made)).toEqual(inOrder(sent));
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
