import { onTestFinished, test } from 'vitest';
import { exampleServer } from '../../fakes/example-server.ts';
import { sandbox } from '../sandbox.ts';
import { expectLinesToEnd } from './lines-end.ts';

const ids = { order: 'ord_1', route: 'rte_1', quoted: 'rte_1', delivery: 'dlv_1' };

test('every command works at a server that responds with the examples of the description', async () => {
  const { transport } = await sandbox();
  const { body } = await transport({ method: 'GET', path: '/openapi.json', headers: {}, body: '' });
  const server = await exampleServer(JSON.parse(body));
  onTestFinished(() => server.close());
  await expectLinesToEnd(server.url, ids);
});
