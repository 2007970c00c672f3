import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, firstSteps, root, runIn } from './installation.ts';

test('the single executable contains the whole program and leaves only its settings and data', async () => {
  const folder = emptyFolder();
  const file = join(folder, 'waybill');
  const made = spawnSync(process.execPath, [join(root, 'src/build/sea.ts'), file], { encoding: 'utf8' });
  expect(made.status, made.stderr).toBe(0);
  expect(made.stderr).toMatch(/waybill: \d+ MB\n$/);
  expect(statSync(file).size).toBeLessThan(200_000_000);
  // The executable contains Node, too.
  const beside = ['THIRD_PARTY_NOTICES.txt', 'sbom.cdx.json'];
  const [notices = '', sbom = ''] = beside.map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(notices).toMatch(/^node 2\d+\.\d+\.\d+ \(MIT\)\n\nNode\.js is licensed/m);
  expect(JSON.parse(sbom).components).toContainEqual(expect.objectContaining({ name: 'node' }));
  const home = join(folder, 'home');
  firstSteps(home, file);
  expect(readdirSync(folder).sort()).toEqual([...beside, 'home', 'waybill'].sort());
  const child = spawn(file, ['serve', '--port', '0', '--database', join(folder, 'served.db'), '--json'], {
    env: { HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [chunk] = await once(child.stdout, 'data');
  const { url, keys } = JSON.parse(String(chunk).split('\n')[0] ?? '');
  const login = spawnSync(file, ['login', '--base-url', url, '--with-token'], {
    ...{ env: { HOME: home }, input: keys.test, encoding: 'utf8' },
  });
  expect(login.stderr).toContain('as no keychain answered: the single executable has no way to it.');
  expect(runIn(home, file, 'orders', 'list', '--json')).toEqual({ exit: 0, stdout: '[]\n', stderr: '' });
  child.kill('SIGTERM');
  await once(child, 'exit');
});
