import { expect, test } from 'vitest';
import { errorOf } from '../harness.ts';
import { orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();
const order = orderLine.slice(2);

test.each([[['ship', ...order]], [['deliveries', 'list']]])(
  '%j refuses a provider that does not exist before anything is created',
  async (words) => {
    const line = [...words, '--provider', 'uber'];
    const from = box.requests.length;
    const { exit, stdout, stderr } = await box.run([...line, '--json']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(errorOf(stderr)).toMatchObject({
      code: 'bad_value',
      message: 'There is no provider "uber".',
      param: '--provider',
      choices: expect.arrayContaining(['swiftly', 'metrobike']),
    });
    expect(box.requests.slice(from).filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

test('auto dispatch leaves that to the service, which names the providers too', async () => {
  const { exit, stderr } = await box.run(['orders', 'create', ...order, '--auto', '--providers', 'uber']);
  expect(exit).toBe(2);
  expect(stderr).toContain('--providers: is not a provider; expected swiftly or metrobike');
});
