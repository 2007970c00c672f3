import { expect, test } from 'vitest';
import { Interrupted } from '../../../src/cli/failures/failure.ts';
import { interruptionText } from '../../../src/cli/failures/interruption.ts';
import { errorOf } from '../harness.ts';
import { sandbox } from '../sandbox.ts';

const standing = 'POST /v2/orders was under way. Send it again with: `waybill orders create --resume`.';

test('people are told what is true, by the signal that it was', () => {
  expect(interruptionText('SIGINT', null, false)).toBe('\nInterrupted.\n');
  expect(interruptionText('SIGTERM', standing, false)).toBe(`Told to end. ${standing}\n`);
  expect(interruptionText('SIGINT', 'a\u001b[2Jb', false)).toBe('\nInterrupted. ab\n');
});

test('programs are told with one JSON object', () => {
  const text = interruptionText('SIGINT', standing, true);
  expect(errorOf(text)).toEqual({
    ...{ code: 'interrupted', category: 'interrupted', exit: 130 },
    message: `Interrupted. ${standing}`,
    next: [{ command: 'waybill orders create --resume', when: 'go on' }],
  });
  expect(errorOf(interruptionText('SIGTERM', null, true))).toMatchObject({
    ...{ message: 'Told to end.', exit: 143, next: [] },
  });
});

test.each([
  'dlv_1 is scheduled. See it with: waybill deliveries get dlv_1',
  'The clock is at 10:04. Go on: waybill deliveries get dlv_1',
])('a command that ends what is true is one that goes on: %s', (text) => {
  const next = [{ command: 'waybill deliveries get dlv_1', when: 'go on' }];
  expect(errorOf(interruptionText('SIGINT', text, true))).toMatchObject({ next });
});

test('Ctrl+C at a prompt is told as the line is: in JSON where that is asked for', async () => {
  const box = await sandbox();
  const answers = [new Interrupted()];
  const env = { WAYBILL_JSON: '0' };
  const { exit, stderr } = await box.run(['keys', 'create'], { tty: true, answers, env });
  expect([exit, stderr]).toEqual([130, '\nInterrupted. Nothing was changed at the service.\n']);
});
