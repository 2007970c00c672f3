import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { newOrder, orderLine, sandbox } from '../../sandbox.ts';
import { hosted } from '../../waiting/hosted.ts';

test.each(['routes quote ROUTE --wait', 'routes quote ROUTE --watch --json', 'ship'])(
  'over HTTP quotes are polled at most every 2 s, unless an event announces them: %s',
  async (line) => {
    const { box, run } = await hosted();
    const route = String((await box.json(['routes', 'create', await newOrder(box)])).id);
    const polled: number[] = [];
    let requested = 0;
    const around: Transport = async (request) => {
      const answer = await box.transport(request);
      const at = Date.parse(answer.headers['x-service-time'] ?? '');
      if (!request.path.endsWith('/quotes')) return answer;
      if (request.method === 'POST') requested = at;
      else if (!answer.body.includes('"COMPLETE"')) polled.push(at - requested);
      return answer;
    };
    const words =
      line === 'ship'
        ? ['ship', ...orderLine.slice(2), '--cheapest']
        : line.replace('ROUTE', route).split(' ');
    const { exit, stderr } = await run(words, { around });
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
    // A poll that finds quotes may come sooner, after an event.
    expect(polled.filter((ms) => ms < 2000)).toEqual([]);
  },
);

test.each(['600', '60', '3600'])('ship dispatches on a clock that runs %s times as fast', async (rate) => {
  const box = await sandbox();
  await box.json(['sandbox', 'clock', 'scaled', '--rate', rate]);
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    box.advance(ms);
  };
  const line = ['ship', ...orderLine.slice(2), '--cheapest', '--json'];
  const { exit, stderr } = await box.run(line, { sleep });
  expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
  expect(Math.max(...slept)).toBeLessThan(2000);
});
