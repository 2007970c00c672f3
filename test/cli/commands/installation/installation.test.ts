import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installationOf } from '../../../../src/cli/commands/installation/installation.ts';
import { errorOf, freshHome, jsonOf, waybill } from '../../harness.ts';

const at = (program: string, platform = 'linux', is_executable = false) => {
  const { way, update, remove } = installationOf({ program, platform, is_executable });
  return [way, update.map((words) => words.join(' ')).join(' && '), remove.join(' ')];
};

test.each([
  [
    '/usr/lib/node_modules/waybill/bin/waybill.cjs',
    [
      'npm',
      'npm install --global --prefix /usr waybill@latest',
      'npm uninstall --global --prefix /usr waybill',
    ],
  ],
  [
    '/srv/app/node_modules/waybill/bin/waybill.cjs',
    ['project', 'npm install waybill@latest', 'npm uninstall waybill'],
  ],
  [
    '/home/a/.npm/_npx/0a1b/node_modules/waybill/bin/waybill.cjs',
    ['npx', 'npx waybill@latest --version', 'rm -r /home/a/.npm/_npx/0a1b'],
  ],
  [
    '/home/a/waybill/bin/waybill.cjs',
    ['source', 'git pull --ff-only && npm run build', 'rm -r /home/a/waybill'],
  ],
])('%s is detected', (program, expected) => {
  expect(at(program)).toEqual(expected);
});

test('on Windows the global packages are in the prefix itself', () => {
  const prefix = 'C:\\Users\\a\\AppData\\Roaming\\npm';
  expect(at(`${prefix}\\node_modules\\waybill\\bin\\waybill.cjs`, 'win32')).toEqual([
    'npm',
    `npm install --global --prefix ${prefix} waybill@latest`,
    `npm uninstall --global --prefix ${prefix} waybill`,
  ]);
});

test('the single executable is replaced as a whole', () => {
  expect(at('/opt/waybill', 'linux', true)).toEqual(['executable', '', 'rm /opt/waybill']);
});

test('update prints the commands and runs nothing', async () => {
  const ran: string[] = [];
  const run = async (words: readonly string[]) => ran.push(words.join(' '));
  const program = "/opt/a folder's/lib/node_modules/waybill/bin/waybill.cjs";
  const { stdout, exit } = await waybill(['update', '--json'], { home: freshHome(), program, run });
  expect([exit, jsonOf(stdout).commands]).toEqual([
    0,
    ["npm install --global --prefix '/opt/a folder'\\''s' waybill@latest"],
  ]);
  expect(ran).toEqual([]);
});

test('update --run asks first, and runs the command after a yes', async () => {
  const ran: string[] = [];
  const run = async (words: readonly string[]) => {
    ran.push(words.join(' '));
    return 0;
  };
  const line = 'npm install --global --prefix /usr waybill@latest';
  const scripted = await waybill(['update', '--run', '--json'], { home: freshHome(), run });
  expect([scripted.exit, errorOf(scripted.stderr).code]).toEqual([2, 'confirmation_needed']);
  const declined = await waybill(['update', '--run'], {
    home: freshHome(),
    run,
    tty: true,
    answers: [false],
  });
  expect(declined.exit).toBe(3);
  expect(ran).toEqual([]);
  const accepted = await waybill(['update', '--run'], { home: freshHome(), run, tty: true, answers: [true] });
  expect([accepted.exit, ran]).toEqual([0, [line]]);
});

test('an update that fails says which command and its exit code', async () => {
  const options = { home: freshHome(), run: async () => 243 };
  const { exit, stderr } = await waybill(['update', '--run', '--yes', '--json'], options);
  expect([exit, errorOf(stderr)]).toMatchObject([
    1,
    { code: 'update_failed', message: expect.stringContaining('waybill@latest ended with exit code 243') },
  ]);
});

test.each([
  [{ program: '/opt/waybill', isExecutable: true }, 'Replace /opt/waybill with the new executable'],
  [{ program: '/somewhere/waybill/bin/waybill.cjs' }, 'cd /somewhere/waybill && git pull --ff-only'],
])('an update that cannot run from here says what to do: %j', async (options, hint) => {
  const { exit, stderr } = await waybill(['update', '--run', '--yes'], { home: freshHome(), ...options });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test('uninstall lists what exists, with the program last, and removes nothing', async () => {
  const home = freshHome();
  await waybill(['deliveries', 'list'], { home });
  const folder = join(home, "it's here");
  mkdirSync(folder);
  const { stdout, stderr, exit } = await waybill(['uninstall', '--json'], {
    home,
    env: { WAYBILL_DATA_DIR: folder },
  });
  const steps: { command: string }[] = JSON.parse(stdout);
  const commands = steps.map(({ command }) => command);
  expect(exit).toBe(0);
  expect(commands[0]).toBe('waybill completion --uninstall');
  expect(commands).toContain(`rm -r '${folder.replace("'", "'\\''")}'`);
  expect(commands.at(-1)).toBe('npm uninstall --global --prefix /usr waybill');
  expect(stderr).not.toContain('error');
});
