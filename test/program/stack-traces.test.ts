import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stackTexts } from '../../src/cli/kit/errors/failure.ts';
import { freshHome, root, waybill } from './run.ts';

/** The frames of a stack, each with its source line. */
function framesOf(text: string) {
  const frames = [...text.matchAll(/^ {4}at (?:async )?(?:(.*) \()?(.*?):(\d+):(\d+)\)?$/gm)];
  return frames.map(([, name = '', file = '', line, column]) => {
    const source = readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1] ?? '';
    return { name, file, code: source.slice(Number(column) - 1) };
  });
}

test('--debug names functions, source files and lines', async () => {
  const { stderr } = await waybill(freshHome(), 'deliveries', 'get', 'dlv_1', '--debug');
  const frames = framesOf(stderr);
  expect(frames.length).toBeGreaterThan(5);
  const file = 'src/cli/nouns/find-delivery.ts';
  // The error arises where nothing was found for an id that the service does not know.
  expect(frames[0]).toMatchObject({ file, code: expect.stringMatching(/^new Failure\(5/) });
  // An arrow function has no name; a minified function would have one or two letters.
  expect(frames.filter(({ name }) => /^.{1,2}$/.test(name))).toEqual([]);
  expect(stderr).not.toContain(join(root, 'dist'));
});

test('a stack without a source map stays unchanged, and causes follow', () => {
  const text = stackTexts('/gone');
  const error = new Error('lost', { cause: 'the cat' });
  error.stack = 'Error: lost\n    at f (/gone/main.cjs:1:20)\n    at g (/gone/x)';
  expect(text(error)).toBe(`${error.stack}\nCaused by: the cat`);
  expect(text('plain')).toBe('plain');
});
