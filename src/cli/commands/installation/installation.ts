import { posix, win32 } from 'node:path';
import type { Host } from '../../kit/host/host.ts';

export type InstallationWay = 'npm' | 'project' | 'npx' | 'source' | 'executable';

type Words = readonly [string, ...string[]];

/** How this program came onto the machine, and the commands to update and remove it. */
export interface Installation {
  way: InstallationWay;
  /** The folder of the package, or the file of the single executable. */
  path: string;
  /** In order; empty if no command can do it. */
  update: readonly Words[];
  remove: Words;
  /** The folder to run them in; null: any. */
  folder: string | null;
}

type Place = Pick<Host, 'program' | 'is_executable' | 'platform'>;

/** Finds the way of the installation by the path of the program. */
export function installationOf({ program, is_executable, platform }: Place): Installation {
  const isWindows = platform === 'win32';
  const path = isWindows ? win32 : posix;
  const removal = (folder: string): Words => (isWindows ? ['rmdir', '/s', folder] : ['rm', '-r', folder]);
  if (is_executable) {
    const remove: Words = isWindows ? ['del', program] : ['rm', program];
    return { way: 'executable', path: program, update: [], remove, folder: null };
  }
  const root = path.dirname(path.dirname(program));
  const modules = path.dirname(root);
  if (path.basename(modules) !== 'node_modules') {
    const update: Words[] = [
      ['git', 'pull', '--ff-only'],
      ['npm', 'run', 'build'],
    ];
    return { way: 'source', path: root, update, remove: removal(root), folder: root };
  }
  const owner = path.dirname(modules);
  if (path.basename(path.dirname(owner)) === '_npx') {
    const update: Words[] = [['npx', 'waybill@latest', '--version']];
    return { way: 'npx', path: root, update, remove: removal(owner), folder: null };
  }
  // npm has its global packages in lib/node_modules of its prefix, and on Windows in node_modules of it.
  if (path.basename(owner) === (isWindows ? 'npm' : 'lib')) {
    const prefix = ['--prefix', isWindows ? owner : path.dirname(owner)];
    const update: Words[] = [['npm', 'install', '--global', ...prefix, 'waybill@latest']];
    const remove: Words = ['npm', 'uninstall', '--global', ...prefix, 'waybill'];
    return { way: 'npm', path: root, update, remove, folder: null };
  }
  const update: Words[] = [['npm', 'install', 'waybill@latest']];
  return { way: 'project', path: root, update, remove: ['npm', 'uninstall', 'waybill'], folder: owner };
}
