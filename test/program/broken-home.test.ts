import { expect, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { freshHome, script, waybill } from './run.ts';

const lines = [['orders', 'list'], ['whoami'], ['profiles', 'create', 'x', '--embedded']];

test.skipIf(process.platform !== 'linux').each(['/dev/null', '/proc/1'])(
  'HOME=%s ends with an error that says why',
  async (home) => {
    for (const line of lines) {
      const folders = { HOME: home, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_CACHE_HOME: '' };
      const moved = { WAYBILL_CONFIG_DIR: '', WAYBILL_DATA_DIR: '', WAYBILL_CACHE_DIR: '' };
      const { exit, stderr } = await waybill(freshHome({ ...folders, ...moved }), ...line);
      expect([line.join(' '), exit], stderr).toEqual([line.join(' '), expect.any(Number)]);
      expect(exit).not.toBe(0);
      expect(stderr).toMatch(/cannot be|part of its path is a file|does not exist/);
      expect(stderr).not.toMatch(/\n {4}at |node:/);
    }
  },
);

test.skipIf(process.platform !== 'linux')('IDs for a closed stdout are named on stderr', async () => {
  const order = [...orderLine, '-o', 'id'].map((word) => `'${word}'`).join(' ');
  const home = freshHome();
  const closed = await script(home, `waybill ${order} >&-`);
  expect([closed.exit, closed.stderr]).toEqual([0, expect.stringMatching(/Nobody reads stdout: ord_\w+/)]);
  const full = await script(home, `waybill ${order} > /dev/full`);
  expect([full.exit, full.stderr]).toEqual([1, expect.stringMatching(/disk is full, so .* lost: ord_\w+/)]);
  // Opened as Python's DEVNULL and Node's `ignore` do.
  for (const line of ['orders list', order]) {
    const unread = await script(home, `waybill ${line} 1<> /dev/null`);
    expect([unread.exit, unread.stderr]).toEqual([0, expect.not.stringContaining('Error')]);
  }
  const discarded = await script(home, `waybill ${order} > /dev/null`);
  expect([discarded.exit, discarded.stderr]).toEqual([0, expect.not.stringContaining('reads')]);
});

test.skipIf(process.platform !== 'linux')(
  'a umask that takes rights from the owner is not followed there',
  async () => {
    const { exit, stdout, stderr } = await script(
      freshHome(),
      'umask 777; waybill config set color never && waybill orders list -o json; stat -c %a "$(dirname "$(find . -name waybill.db)")"',
    );
    expect([exit, stderr, stdout.split('\n').at(-2)]).toEqual([
      0,
      expect.not.stringContaining('Error'),
      '700',
    ]);
  },
);

test.skipIf(process.platform !== 'linux')('bytes of an argument that are not UTF-8 are refused', async () => {
  const { exit, stderr } = await script(freshHome(), 'waybill orders list --search "$(printf \'Caf\\351\')"');
  expect([exit, stderr]).toEqual([2, expect.stringContaining('not UTF-8: "Caf\uFFFD"')]);
});

test.skipIf(process.platform !== 'linux')('few open files mean few connections, which are said', async () => {
  const { stderr } = await script(
    freshHome(),
    `ulimit -n 80; waybill serve --port 0 --database a.db > out & until grep -q Ready out; do sleep 0.1; done; kill -TERM $!; wait $!`,
  );
  expect(stderr).toContain('may open 80 files, so it takes 40 connections instead of');
});

test.skipIf(process.platform !== 'linux')(
  'signals of log rotation neither end a service nor open a debugger',
  async () => {
    const { exit, stdout } = await script(
      freshHome(),
      `waybill serve --port 0 --database a.db > out 2> /dev/null & until grep -q Ready out; do sleep 0.1; done
    kill -USR1 $!; kill -USR2 $!; kill -PIPE $!; sleep 1; kill -0 $!
    if (exec 3<> /dev/tcp/127.0.0.1/9229) 2> /dev/null; then echo debugger; fi
    kill -TERM $!; wait $!`,
    );
    expect(stdout).not.toContain('debugger');
    expect(exit).toBe(143);
  },
);
