import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ended, freshHome, type Home, serve, start } from './run.ts';

/** A D-Bus that accepts connections and never responds. */
async function silentBus(home: Home): Promise<string> {
  const path = join(home.folder, 'bus');
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})));
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `unix:path=${path}`;
}

/** The visible arguments and environments of a process's children. */
function shownOfChildren(pid: number): string[] {
  const parents = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChildOf(name, pid));
  return parents.map((child) =>
    ['cmdline', 'environ'].map((part) => readFileSync(`/proc/${child}/${part}`, 'utf8')).join('\n'),
  );
}

function isChildOf(child: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${child}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1] === String(pid);
  } catch {
    return false;
  }
}

test('a stalled keychain is given up after 3 s; no process shows the key, and its file is closed', async () => {
  if (process.platform !== 'linux') return;
  const { url, keys, stop } = await serve(freshHome());
  const home = freshHome();
  const { WAYBILL_INSECURE_STORAGE: _, ...env } = home.env;
  const bus = await silentBus(home);
  home.env = { ...env, DBUS_SESSION_BUS_ADDRESS: bus, WAYBILL_API_KEY: keys.live };
  const folder = join(home.folder, '.config', 'waybill');
  const file = join(folder, 'profiles.json');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(file, '{"current":"sandbox","profiles":{}}');
  chmodSync(file, 0o644);
  const line = ['login', '--base-url', url];
  const child = start(home, [...line, '--profile', 'shop', '--with-token'], 'pipe');
  child.stdin?.end(keys.test);
  const pid = child.pid ?? 0;
  // A child has no arguments until it executes its program.
  await expect.poll(() => shownOfChildren(pid)).toEqual([expect.stringContaining('keychain-process')]);
  const [shown = ''] = shownOfChildren(pid);
  expect(shown).not.toMatch(/wb_(test|live)_/);
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('wb_');
  const { stderr, exit } = await ended(child);
  expect(exit).toBe(0);
  expect(stderr).toContain(
    `stored in the file ${file}, as no keychain answered: it did not answer within 3 s`,
  );
  expect(stderr).not.toContain(keys.test);
  expect([folder, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(JSON.parse(readFileSync(file, 'utf8')).profiles.shop.api_key).toBe(keys.test);
  await stop();
});
