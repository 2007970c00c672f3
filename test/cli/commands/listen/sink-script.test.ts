import { expect, test } from 'vitest';
import { parseSinkScript, sinkAnswerText, stepAt } from '../../../../src/cli/commands/listen/sink.ts';

const status = (code: number, retry_after_seconds: number | null = null) =>
  ({ kind: 'status', status: code, retry_after_seconds }) as const;

test('steps are a status, a status with seconds, hang and reset, each with a count', () => {
  expect(parseSinkScript('500x3, 429:5x2,hang,resetx4,410,200')).toEqual([
    { answer: status(500), times: 3 },
    { answer: status(429, 5), times: 2 },
    { answer: { kind: 'hang' }, times: 1 },
    { answer: { kind: 'reset' }, times: 4 },
    { answer: status(410), times: 1 },
    { answer: status(200), times: 1 },
  ]);
});

test('steps run in order, and the last one repeats', () => {
  const steps = parseSinkScript('500x2,hang,429:0');
  const met = [0, 1, 2, 3, 4, 1_000_000].map((nth) => sinkAnswerText(stepAt(steps, nth)));
  expect(met).toEqual(['500', '500', 'hang', '429:0', '429:0', '429:0']);
});

test.each([
  ['', 'step 1 of the script is empty'],
  ['500x3,,200', 'step 2 of the script is empty'],
  ['500x3,', 'step 2 of the script is empty'],
  ['200,ok', 'step 2 of the script, "ok", is not STATUS'],
  ['500 x 3', 'step 1 of the script, "500 x 3", is not STATUS'],
  ['-200', 'is not STATUS'],
  ['hang:5', 'is not STATUS'],
  ['200,99', 'step 2 of the script, "99", must have a status from 200 to 599'],
  ['100', 'from 200 to 599'],
  ['600', 'from 200 to 599'],
  ['500x0', 'must be repeated 1 to 1000000 times'],
  ['500x1000001', 'must be repeated 1 to 1000000 times'],
  ['429:86401', 'must not wait longer than 86400 seconds'],
])('%j is refused: %s', (script, message) => {
  expect(() => parseSinkScript(script)).toThrow(message);
});
