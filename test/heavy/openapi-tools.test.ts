import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeInterface } from '../../src/contract/openapi.ts';
import { expectLinesToEnd } from '../cli/other-services/lines-end.ts';
import { freePort } from '../local-server.ts';
import { root } from './installation.ts';

/** The dependencies of the tools are those of this day. */
const before = '2026-11-22T20:00:00Z';

const folder = mkdtempSync(join(tmpdir(), 'waybill-openapi-tools-'));

/** Runs a program in the folder until it succeeds, and returns what it printed. */
function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** The tools need TypeScript 5, so that they are no dependencies of the project. */
beforeAll(() => {
  cpSync(join(root, 'test', 'heavy', 'openapi-tools'), folder, { recursive: true });
  renameSync(join(folder, 'use.ts.txt'), join(folder, 'use.ts'));
  run('npm', 'install', '--before', before, '--ignore-scripts', '--no-audit', '--no-fund');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeDescription(url: string): void {
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(describeInterface(url)));
}

test('spectral reports nothing, and the clients of two generators compile', () => {
  writeDescription('https://deliveries.example');
  expect(JSON.parse(run(process.execPath, 'lint.mjs', 'openapi.json'))).toEqual([]);
  run(process.execPath, 'hey-api.mjs', 'openapi.json', join('generated', 'hey-api'));
  const generator = join('node_modules', 'openapi-typescript', 'bin', 'cli.js');
  run(process.execPath, generator, 'openapi.json', '-o', join('generated', 'openapi-typescript.ts'));
  run(process.execPath, join('node_modules', 'typescript', 'bin', 'tsc'), '--project', '.');
});

/** Starts Prism, a mock server of another project, with the description. It validates requests, and answers with examples. */
async function startPrism(): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeDescription(url);
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
