import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Host } from '../../../src/cli/kit/host/host.ts';
import { shellText } from '../../../src/cli/kit/system/shell.ts';
import { freshHome, waybill } from '../harness.ts';

/** A home with the real shells, as on a fresh machine. */
function machineOf(shell: string, files: Record<string, string> = {}) {
  const home = freshHome();
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text);
  const env = { HOME: home, PATH: process.env.PATH ?? '', SHELL: `/bin/${shell}`, TERM: 'dumb' };
  const run: Host['shell'] = (words, signal) => shellText(words, env, signal);
  const outputOf = async (...argv: string[]) => {
    const { stdout, stderr, exit } = await waybill([...argv, '--json'], { home, env, shell: run });
    expect(exit, stderr).toBe(0);
    return { data: JSON.parse(stdout), note: stderr };
  };
  return {
    home,
    textOf: (file: string) => readFileSync(join(home, file), 'utf8'),
    isThere: (file: string) => existsSync(join(home, file)),
    /** What a new shell reports, asked directly. */
    asked: (flags: string, question: string) =>
      spawnSync(shell, [flags, question], {
        env,
        cwd: home,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).stdout,
    installed: async (flag = '--install') => {
      const { data, note } = await outputOf('completion', shell, flag);
      const changes = data.map(({ file, change }: Record<string, string>) => [
        change,
        file?.slice(home.length + 1),
      ]);
      return { changes, note };
    },
    found: async () => {
      const { data } = await outputOf('doctor');
      return data.find(({ check }: { check: string }) => check === 'completion');
    },
  };
}

const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0;
const ofBash = '.local/share/bash-completion/completions/waybill';
const ofZsh = '.local/share/zsh/site-functions/_waybill';
/** Like the package bash-completion: scripts are loaded from the user's folder at the first Tab. */
const loader = `_late() {
  complete -F _minimal -- "$1"
  . ~/.local/share/bash-completion/completions/"$1" 2>/dev/null
  return 124
}
complete -D -F _late
`;

test('bash without bash-completion: its settings load the script, and a new shell has it', async ({
  skip,
}) => {
  if (!isThere('bash')) skip('bash is not installed here');
  const { installed, found, textOf, asked } = machineOf('bash', {
    '.bashrc': 'A=1',
    '.profile': '. ~/.bashrc\n',
  });
  const { changes, note } = await installed();
  expect(changes).toEqual([
    ['written', ofBash],
    ['changed', '.bashrc'],
  ]);
  expect(note).toContain('A new bash loads it: exec bash');
  for (const flags of ['-ic', '-lic'])
    expect(asked(flags, 'complete -p waybill')).toBe('complete -F _waybill waybill\n');
  expect(await found()).toMatchObject({
    status: 'ok',
    found: expect.stringMatching(/, which a new shell loads$/),
  });
  expect((await installed()).changes.flat()).not.toContain('changed');
  await installed('--uninstall');
  expect(textOf('.bashrc')).toBe('A=1');
});

test('bash with bash-completion: its settings are unchanged', async ({ skip }) => {
  if (!isThere('bash')) skip('bash is not installed here');
  const files = { '.bashrc': loader, '.bash_profile': '. ~/.bashrc\n' };
  const { installed, found, textOf, isThere: has } = machineOf('bash', files);
  expect((await found()).found).toBe('none installed for bash');
  const { changes, note } = await installed();
  expect(changes).toEqual([['written', ofBash]]);
  expect(note).toContain('A new bash loads it');
  expect(await found()).toMatchObject({
    status: 'ok',
    found: expect.stringMatching(/, which a new shell loads$/),
  });
  expect((await installed('--uninstall')).changes).toEqual([
    ['removed', ofBash],
    ['absent', '.bashrc'],
  ]);
  expect(textOf('.bashrc')).toBe(loader);
  expect(['.bash_history', '.local'].filter(has)).toEqual([]);
});

test('a later removal of bash-completion is found by doctor, and --install fixes it', async ({ skip }) => {
  if (!isThere('bash')) skip('bash is not installed here');
  const { home, installed, found } = machineOf('bash', { '.bashrc': loader, '.profile': '. ~/.bashrc\n' });
  await installed();
  writeFileSync(join(home, '.bashrc'), '');
  const command = 'waybill completion bash --install';
  expect(await found()).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(/: a new bash does not load it$/),
    command,
  });
  expect((await installed()).note).toContain('A new bash loads it');
  expect(await found()).toMatchObject({ status: 'ok', command: null });
});

test.each([
  ['none', {}, '.bash_profile'],
  ['that goes elsewhere', { '.profile': 'A=1\n' }, '.profile'],
])('a login bash reads its own file: %s', async (_, files, start) => {
  const { home, installed, found } = machineOf('bash', files);
  const { note } = await installed();
  const remedy = `${join(home, start)}, not ${join(home, '.bashrc')}. Add to it: [ -f ~/.bashrc ] && . ~/.bashrc`;
  expect(note).toContain(remedy);
  expect(await found()).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('a bash login shell does not load it'),
    remedy: expect.stringContaining(remedy),
  });
  writeFileSync(join(home, start), '[ -f ~/.bashrc ] && . ~/.bashrc\n');
  expect((await found()).status).toBe('ok');
});

test.each(['bash', 'zsh'])('%s whose settings return early: the remedy is printed', async (shell) => {
  if (!isThere(shell)) return;
  const { installed, found } = machineOf(shell, { [`.${shell}rc`]: 'return\n' });
  const { note } = await installed();
  expect(note).toMatch(
    new RegExp(`a new ${shell} does not load it\\. It does not read .*rc to its end\\. Add to `),
  );
  expect(await found()).toMatchObject({
    status: 'warn',
    command: null,
    remedy: expect.stringContaining('Add to '),
  });
});

test.each([
  ['bare ones', ''],
  ['ones that set completion up', 'autoload -Uz compinit; compinit -u\n'],
  ['a folder that anybody can write to', 'fpath=(~/open $fpath)\n'],
])('zsh with %s asks nothing and loads it', async (_, before) => {
  if (!isThere('zsh')) return;
  const { home, installed, found, asked, textOf } = machineOf('zsh', { '.zshrc': before });
  mkdirSync(join(home, 'open'));
  chmodSync(join(home, 'open'), 0o777);
  const { changes, note } = await installed();
  expect(changes).toEqual([
    ['written', ofZsh],
    ['changed', '.zshrc'],
  ]);
  expect(note).toContain('A new zsh loads it: exec zsh');
  expect(asked('-ic', 'print $_comps[waybill]; autoload +X _waybill && print loaded')).toBe(
    '_waybill\nloaded\n',
  );
  expect((await found()).found).toMatch(/, which a new shell loads$/);
  await installed('--uninstall');
  expect(textOf('.zshrc')).toBe(before);
});

test('a script that is loaded in another way is recognized; an unresponsive shell is reported', async () => {
  const answer = (text: string | null) => async () => text;
  const env = { SHELL: '/bin/bash' };
  const found = async (home: string, shell: Host['shell']) => {
    const { stdout } = await waybill(['doctor', '--json'], { home, env, shell });
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'completion').found;
  };
  const home = freshHome();
  expect(await found(home, answer('Welcome!\nwaybill: yes\n'))).toBe('bash loads another copy of it');
  expect(await found(home, answer('waybill: no\n'))).toBe('none installed for bash');
  const { stderr } = await waybill(['completion', 'bash', '--install'], { home, env, shell: answer('$ ') });
  expect(stderr).toContain('which could not be checked');
  expect(await found(home, answer(null))).toMatch(/; could not check whether a new shell loads it$/);
});

test('a stalled shell is ended, with all its processes', async () => {
  const stop = new AbortController();
  const line = 'sleep 300 & echo $!; sleep 300';
  const printed = shellText(['bash', '-c', line], { PATH: process.env.PATH }, stop.signal);
  setTimeout(() => stop.abort(), 300);
  const process_id = Number(await printed);
  expect(process_id).toBeGreaterThan(0);
  await expect.poll(() => isAlive(process_id)).toBe(false);
  expect(await shellText(['no-such-shell', '-c', line], {}, new AbortController().signal)).toBe(null);
});

function isAlive(process_id: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process_id)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
