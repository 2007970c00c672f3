import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { account } from './fake-service.ts';
import { freshHome } from './harness.ts';

const home = freshHome();
const program = join(import.meta.dirname, '../../bin/waybill.cjs');
let server: Server;
/** Called when a request arrives that never gets a response. */
const hung: () => unknown = () => {};

/** A service that identifies the key and never responds otherwise. */
beforeAll(async () => {
  writeFileSync(join(home, 'key'), 'wb_test_0123456789abcdef');
  server = createServer((request, response) => {
    if (request.url !== '/v2/account') {
      hung();
      return;
    }
    response.setHeader('content-type', 'application/json');
    // Only a service that reports its time is known to keep idempotency keys.
    response.setHeader('x-service-time', new Date().toISOString());
    response.end(JSON.stringify(account));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function start(
  argv: readonly string[],
  { cwd = home, stdout = 'pipe' }: { cwd?: string; stdout?: 'pipe' | number } = {},
): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: home, NODE_NO_WARNINGS: '1' };
  return spawn(process.execPath, [program, ...argv], { cwd, env, stdio: ['ignore', stdout, 'pipe'] });
}

test.runIf(existsSync('/dev/full'))('a full disk is reported, and not as an internal error', async () => {
  const full = openSync('/dev/full', 'w');
  const child = start(['profiles', 'list'], { stdout: full });
  closeSync(full);
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(await said).toBe('Error: The answer cannot be written: the disk is full.\n');
});

test('a missing working directory stops only commands that read a path from it', async () => {
  const folder = join(home, 'gone');
  const inFolder = async (...argv: string[]) => {
    mkdirSync(folder);
    const shell = spawn('sh', ['-c', 'rmdir "$PWD"; exec "$@"', 'sh', process.execPath, program, ...argv], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: home, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = shell.stderr === null ? Promise.resolve('') : text(shell.stderr);
    const [exit] = await once(shell, 'exit');
    return { exit, said: await said };
  };
  expect(await inFolder('profiles', 'list')).toEqual({ exit: 0, said: '' });
  expect(await inFolder('orders', 'create', '--file', 'x.json')).toEqual({
    exit: 2,
    said: expect.stringContaining('The current folder is gone'),
  });
});
