import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { openReceivers } from '../../../../src/cli/commands/listen/receiver.ts';
import { now, timer } from '../../../../src/cli/kit/system/streams.ts';
import { listenLocally } from '../../../local-server.ts';

const post = { method: 'POST', path: '/hooks', headers: {}, body: '{}' };

test('a server with an endless response has accepted the event with its 2xx', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200);
    response.write('more to come');
  });
  const { port, close } = await listenLocally(server);
  const url = `http://127.0.0.1:${port}/hooks`;
  const receivers = await openReceivers({ host: { now, timer }, verify: true, print: () => {} });
  onTestFinished(async () => {
    await receivers.close();
    await close();
  });
  const all = Array.from({ length: 20 }, () => receivers.of(url).post(post, 1));
  for (const posted of await Promise.all(all)) expect(posted).toMatchObject({ status_code: 200, reason: '' });
});
