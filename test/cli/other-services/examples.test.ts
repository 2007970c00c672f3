import { expect, onTestFinished, test } from 'vitest';
import { exampleServer } from '../../fakes/example-server.ts';
import { freshHome, waybill } from '../harness.ts';
import { sandbox } from '../sandbox.ts';
import { linesOf } from './lines.ts';

const ids = { order: 'ord_1', route: 'rte_1', quoted: 'rte_1', delivery: 'dlv_1' };
/** Lines that end when they are interrupted. */
const endless: readonly string[] = ['events tail', 'listen'];

test('every command ends without a fault at a server that answers with the examples of the description', async () => {
  const { transport } = await sandbox();
  const { body } = await transport({ method: 'GET', path: '/openapi.json', headers: {}, body: '' });
  const server = await exampleServer(JSON.parse(body));
  onTestFinished(() => server.close());
  const home = freshHome();
  const login = ['login', '--base-url', server.url, '--with-token', '--insecure-storage'];
  expect(await waybill(login, { home, stdin: 'key_1' })).toMatchObject({ exit: 0 });
  for (const [name, { argv, ...options }] of Object.entries(linesOf(ids, home))) {
    const signal = endless.includes(name) ? AbortSignal.timeout(300) : AbortSignal.timeout(10_000);
    const { exit, stderr } = await waybill([...argv, '--request-timeout', '3s'], {
      home,
      signal,
      ...options,
    });
    expect([name, exit, stderr]).toEqual([name, exit, expect.not.stringContaining('fault of waybill')]);
    expect([name, signal.aborted && !endless.includes(name)]).toEqual([name, false]);
    expect([name, exit === 1]).toEqual([name, false]);
  }
}, 60_000);
