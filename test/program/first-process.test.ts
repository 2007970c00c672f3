import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, program } from './run.ts';

/** Starts a program as the first process of a namespace, as in a container without an init. */
const alone = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];

const isPossible = spawnSync('unshare', [...alone, 'true']).status === 0;
const why = isPossible ? '' : ' (did not run: it needs unshare with user namespaces)';

test.skipIf(!isPossible)(
  `a signal ends the first process of a container once, with its code${why}`,
  async () => {
    const home = freshHome();
    const words = ['serve', '--port', '0', '--database', `${home.folder}/shop.db`, '--json'];
    const child = spawn('unshare', [...alone, process.execPath, program, ...words], {
      env: home.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said = text(child.stderr);
    await once(child.stdout, 'data');
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    process.kill(Number(children), 'SIGTERM');
    expect(await once(child, 'close')).toEqual([143, null]);
    expect((await said).match(/"code":"interrupted"/g)).toHaveLength(1);
  },
);
