import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../local-server.ts';
import { emptyFolder, root, version } from './installation.ts';

const page = readFileSync(join(root, 'src', 'guide', 'operating.md'), 'utf8');
const [containerfile = ''] = [...page.matchAll(/^```dockerfile\n(.*?)^```$/gms)].map(([, text = '']) => text);

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** Whether podman and its runtime runc are installed; runc also works with control groups version 1. */
const hasPodman = ['podman', 'runc'].every((name) => spawnSync(name, ['--version']).status === 0);

/**
 * Writes an archive of the programs that the image needs from its base, with their libraries, copied from this machine.
 * It replaces the image of Node, which would have to be downloaded.
 */
function writeBase(folder: string, archive: string): void {
  for (const program of ['sh', 'install', 'touch', 'id', 'ln', 'env', process.execPath]) {
    const path = run('which', program).trim();
    const libraries = [...run('ldd', path).matchAll(/(?:=> |^\t)(\/\S+)/gm)];
    for (const file of [path, ...libraries.map(([, library = '']) => library)]) {
      const place =
        file === process.execPath ? '/usr/local/bin/node' : file.startsWith('/lib') ? `/usr${file}` : file;
      mkdirSync(join(folder, dirname(place)), { recursive: true });
      run('cp', '--dereference', file, join(folder, place));
    }
  }
  const links = { bin: 'usr/bin', lib: 'usr/lib', lib64: 'usr/lib64' };
  for (const [name, target] of Object.entries(links)) run('ln', '-s', target, join(folder, name));
  for (const name of ['var/lib', 'tmp', 'proc', 'sys', 'dev', 'etc', 'usr/local/bin'])
    mkdirSync(join(folder, name), { recursive: true });
  run('tar', '--create', '--file', archive, '--directory', folder, '.');
}

test.runIf(hasPodman)(
  'the image of the guide serves without root, on a read-only file system, and keeps its data',
  async () => {
    const folder = emptyFolder();
    const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'containers')];
    const podman = (...words: string[]) =>
      run('podman', ...storage, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...words);
    onTestFinished(() => {
      podman('rm', '--force', '--all');
      podman('volume', 'rm', '--force', 'waybill');
      // Podman leaves its file system mounted.
      spawnSync('umount', [join(folder, 'images', 'overlay')]);
    });
    writeBase(join(folder, 'base'), join(folder, 'base.tar'));
    podman('import', '--quiet', join(folder, 'base.tar'), 'docker.io/library/node:24-bookworm-slim');
    const context = join(folder, 'context');
    mkdirSync(context, { recursive: true });
    writeFileSync(join(context, 'Containerfile'), containerfile);
    run('npm', 'pack', root, '--ignore-scripts', '--pack-destination', context);
    expect(containerfile).toContain(`waybill-${version}.tgz`);
    podman('build', '--isolation', 'chroot', '--format', 'docker', '--tag', 'waybill', context);
    const port = await freePort();
    const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
    const start = (name: string) =>
      podman(
        ...['run', '--detach', '--name', name, '--network', 'host', '--no-healthcheck', ...limits],
        ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--volume', 'waybill:/var/lib/waybill'],
        ...['waybill', '--port', String(port), '--database', 'shop.sqlite', '--json'],
      );
    /** Runs the health check of the image until it succeeds. */
    const untilHealthy = (name: string) => {
      const [, check = ''] = /^HEALTHCHECK .*?CMD (.*)$/m.exec(containerfile) ?? [];
      const line = ['exec', name, 'sh', '-c', check.replace('4010', String(port))];
      const checked = () => spawnSync('podman', [...storage, '--runtime', 'runc', ...line]).status;
      return expect.poll(checked, { interval: 500 }).toBe(0);
    };
    start('first');
    await untilHealthy('first');
    expect(podman('exec', 'first', 'id', '-u').trim()).toBe('10001');
    expect(() => podman('exec', 'first', 'touch', '/usr/file')).toThrow('Read-only file system');
    const { keys } = JSON.parse(podman('logs', 'first').split('\n')[0] ?? '');
    podman('stop', 'first');
    start('second');
    await untilHealthy('second');
    const answer = await fetch(`http://127.0.0.1:${port}/v2/account`, {
      headers: { 'x-api-key': keys.test },
    });
    expect(answer.status).toBe(200);
  },
);
