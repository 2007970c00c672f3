import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors/failure.ts';
import type { Prompts } from '../../../../src/cli/kit/host/host.ts';
import { plainPalette } from '../../../../src/cli/kit/output/colour.ts';
import { accessiblePrompts } from '../../../../src/cli/kit/prompts/accessible-prompts.ts';
import { terminalPrompts } from '../../../../src/cli/kit/prompts/terminal-prompts.ts';
import { timer } from '../../../../src/cli/kit/system/streams.ts';
import { obeyed } from '../output/hostile-text.ts';

/** Third-party text; a prompt itself never draws such a suffix. */
const evil = 'Joe\u001b[2J\u001b]0;t\u0007\u009b31m\u202e\u200b\revil';

/** The sequences that prompts draw with: colors, moves, erasing, the cursor. */
const own = /\p{Cc}\[\??\d*[mAGJKBhl]|\r(?=\n|\p{Cc}\[J)/gu;

function desk() {
  const { signal } = new AbortController();
  let shown = '';
  const output = Object.assign(new PassThrough(), { columns: 200, rows: 30, _isStdio: true });
  output.on('data', (chunk) => {
    shown += String(chunk);
  });
  const input = new PassThrough();
  return { signal, input, output, shown: () => shown };
}

type Ask = (prompts: Prompts) => Promise<unknown>;
const choices = [
  { name: evil, value: 'a', description: evil },
  { name: 'b', value: 'b', disabled: evil },
];
const questions: [name: string, ask: Ask, keys: string][] = [
  ['a text', (p) => p.text(evil, { initial: evil, hint: evil }), ''],
  ['what is wrong with it', (p) => p.text('Name', { check: () => evil }), 'x\r'],
  ['what it is taken for', (p) => p.text('Name', { format: () => evil }), 'x\r'],
  ['a secret', (p) => p.secret(evil), ''],
  ['a yes', (p) => p.confirm(evil), ''],
  ['a choice', (p) => p.select(evil, choices), ''],
  ['a choice that changes', (p) => p.select(evil, choices, { current: () => choices }), ''],
  ['one of many', (p) => p.search(evil, choices, { check: () => evil }), 'zz\r'],
  ['several', (p) => p.checkbox(evil, choices), ''],
];

describe.each(questions)('%s', (_, ask, keys) => {
  test.each(['redrawn', 'in plain lines'])('shows no control characters, %s', async (way) => {
    const { signal, input, output, shown } = desk();
    const config = { input, output, signal, timer };
    const prompts =
      way === 'redrawn' ? terminalPrompts({ ...config, palette: plainPalette }) : accessiblePrompts(config);
    const asked = ask(prompts).catch((error: unknown) => {
      if (!(error instanceof Interrupted)) throw error;
    });
    await expect.poll(shown, { interval: 5 }).not.toBe('');
    input.write(keys);
    await new Promise((resolve) => setImmediate(resolve));
    input.end();
    await asked;
    expect(shown()).toMatch(/Joe|Name/);
    expect(obeyed.exec(shown().replace(own, ''))?.input).toBeUndefined();
  });
});
