import { expect, test } from 'vitest';
import { codeFolder, type Machine, type Status } from '../../src/cli/code-cache.ts';

const me = 1000;
const root = '/home/ada/.cache/waybill';
const folder = `${root}/compiled/v24.15.0-x64`;

function machine(env: NodeJS.ProcessEnv = {}, changes: Partial<Machine> = {}): Machine {
  const own = { platform: 'linux', version: 'v24.15.0', arch: 'x64', geteuid: () => me } as const;
  return { env: { HOME: '/home/ada', ...env }, ...own, ...changes };
}

function status(uid = me, mode = 0o700, isFolder = true): Status {
  return { uid, mode, isDirectory: () => isFolder };
}

/** A home of this user with these files in it. */
function files(found: Record<string, Status> = {}) {
  const all: Record<string, Status> = { '/home/ada/.': status(me, 0o755), ...found };
  return (path: string) => all[path];
}

test('code is cached in the user’s cache folder, separately for each Node', () => {
  expect(codeFolder(machine(), files())).toBe(folder);
  expect(codeFolder(machine({ XDG_CACHE_HOME: '/var/ada' }), files())).toBe(
    '/var/ada/waybill/compiled/v24.15.0-x64',
  );
  expect(codeFolder(machine({ WAYBILL_CACHE_DIR: '/var/ada' }), files())).toBe(
    '/var/ada/compiled/v24.15.0-x64',
  );
  expect(codeFolder(machine({}, { platform: 'darwin' }), files())).toBe(
    '/home/ada/Library/Caches/waybill/compiled/v24.15.0-x64',
  );
});

test('no code is cached if the environment names no folder or disables it', () => {
  expect(codeFolder(machine({ HOME: '' }), files())).toBeUndefined();
  expect(codeFolder(machine({ NODE_DISABLE_COMPILE_CACHE: '1' }), files())).toBeUndefined();
});

test.each([root, `${root}/compiled`, folder])(
  '%s is trusted only as a folder that nobody else can write',
  (path) => {
    const found = (stats: Status) => codeFolder(machine(), files({ [path]: stats }));
    expect([status(), status(me, 0o755)].map(found)).toEqual([folder, folder]);
    const refused = [
      status(1001),
      status(0),
      status(me, 0o770),
      status(me, 0o775),
      status(me, 0o1777),
      status(me, 0o702),
      status(me, 0o777, false),
      status(me, 0o700, false),
    ];
    expect(refused.map(found)).toEqual(refused.map(() => undefined));
  },
);

test('no code is cached in another user’s home, or under sudo with the home kept', () => {
  const root = machine({}, { geteuid: () => 0 });
  expect(codeFolder(root, files())).toBeUndefined();
  expect(codeFolder({ ...root, env: { ...root.env, WAYBILL_CACHE_DIR: '/var/root' } }, files())).toBe(
    undefined,
  );
  expect(codeFolder(root, files({ '/home/ada/.': status(0) }))).toBe(folder);
});

test('on Windows, which has no owners to check, only the user’s application data is trusted', () => {
  const env = { LOCALAPPDATA: 'C:/Users/Ada/AppData/Local', WAYBILL_CACHE_DIR: 'C:/shared' };
  const { geteuid: _, ...windows } = machine(env, { platform: 'win32' });
  expect(codeFolder(windows, files())).toBe('C:/Users/Ada/AppData/Local/waybill/cache/compiled/v24.15.0-x64');
});
