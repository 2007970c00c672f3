import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeInterface } from '../../src/contract/openapi.ts';
import { expectLinesToEnd } from '../cli/other-services/lines-end.ts';
import { freePort } from '../local-server.ts';
import { emptyFolder, root } from './installation.ts';

/** Starts Prism, a mock server of another project, with the description. It validates requests, and answers with examples. */
async function startPrism(): Promise<string> {
  const folder = emptyFolder();
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, 'test', 'heavy', 'prism', name), join(folder, name));
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const installed = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  expect(installed.status, installed.stderr).toBe(0);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(describeInterface(url)));
  const program = join('node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js');
  const line = [program, 'mock', '--port', String(port), '--host', '127.0.0.1', 'openapi.json'];
  const child = spawn(process.execPath, line, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill();
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('listening on')) resolve(url);
  });
  child.once('exit', (code) => reject(new Error(`Prism ended with ${code}`)));
  return promise;
}

test('every command works against another project’s server of the description', async () => {
  const id = '01KJPZ6V3CQ8YH2W5N7R4T9XEE';
  const [order, route, quoted, delivery] = [`ord_${id}`, `rte_${id}`, `rte_${id}`, `dlv_${id}`];
  await expectLinesToEnd(await startPrism(), { order, route, quoted, delivery });
});
