import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Shell, shells } from '../../../src/cli/completion/scripts/words.ts';
import { scriptOf } from '../../../src/cli/completion/scripts.ts';
import { tree } from '../../../src/cli/tree.ts';
import { freshHome, jsonOf, waybill } from '../harness.ts';

const scripts: Record<Shell, string> = {
  bash: '.local/share/bash-completion/completions/waybill',
  zsh: '.local/share/zsh/site-functions/_waybill',
  fish: '.config/fish/completions/waybill.fish',
  powershell: '.config/powershell/waybill.ps1',
};
const settings: Partial<Record<Shell, string>> = {
  bash: '.bashrc',
  zsh: '.zshrc',
  powershell: '.config/powershell/Microsoft.PowerShell_profile.ps1',
};

/** Every file and folder of a home, with content. */
function everything(home: string): Record<string, string> {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(home, name);
      return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'latin1')];
    }),
  );
}

function place(home: string, file: string, content: string | Buffer): string {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), content);
  return join(home, file);
}

async function changes(home: string, shell: string, ...flags: string[]) {
  const { stdout, stderr, exit } = await waybill(['completion', shell, ...flags, '--json'], { home });
  expect({ stderr, exit }).toMatchObject({ exit: 0 });
  return JSON.parse(stdout).map(({ change }: { change: string }) => change);
}

test.each(shells)('%s: printed, installed, installed again, and removed without a trace', async (shell) => {
  const home = freshHome();
  expect((await waybill(['completion', shell], { home })).stdout).toBe(scriptOf(shell, tree));
  const all = settings[shell] === undefined ? 1 : 2;
  expect(await changes(home, shell, '--install')).toEqual(Array(all).fill('written'));
  expect(readFileSync(join(home, scripts[shell]), 'utf8').replace(/# Folders made.*\n/, '')).toBe(
    scriptOf(shell, tree),
  );
  const first = everything(home);
  expect(await changes(home, shell, '--install')).toEqual(Array(all).fill('unchanged'));
  expect(everything(home)).toEqual(first);
  expect(await changes(home, shell, '--uninstall')).toEqual(Array(all).fill('removed'));
  expect(Object.keys(everything(home))).toEqual([]);
  expect(await changes(home, shell, '--uninstall')).toEqual(Array(all).fill('absent'));
});

test.each([
  ['as usual', Buffer.from('export A=1\n')],
  ['without an end of its last line', Buffer.from('export A=1')],
  ['empty', Buffer.alloc(0)],
  ['in no encoding that we know', Buffer.from([0xff, 0xfe, 0x80, 0x0a])],
  ['with lines of Windows', Buffer.from('a\r\nb\r\n')],
])('settings %s are the same to the byte afterwards', async (_, before) => {
  const home = freshHome();
  const file = place(home, '.zshrc', before);
  chmodSync(file, 0o600);
  await changes(home, 'zsh', '--install');
  expect(readFileSync(file).subarray(0, before.length)).toEqual(before);
  expect(readFileSync(file, 'latin1').match(/>>> waybill/g)).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await changes(home, 'zsh', '--uninstall');
  expect(readFileSync(file)).toEqual(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('later lines stay, and an older script is replaced in its place', async () => {
  const home = freshHome();
  const file = place(home, '.zshrc', 'before\n');
  await changes(home, 'zsh', '--install');
  writeFileSync(file, `${readFileSync(file, 'utf8').replace(/fpath=.*/, 'fpath=(old)')}after\n`);
  const script = join(home, scripts.zsh);
  writeFileSync(script, `${readFileSync(script, 'utf8')}# of an older waybill\n`);
  expect(await changes(home, 'zsh', '--install')).toEqual(['changed', 'changed']);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^before\n\n# >>>[^<]*site-functions[^<]*# <<< waybill completion <<<\nafter\n$/,
  );
  await changes(home, 'zsh', '--uninstall');
  expect(readFileSync(file, 'utf8')).toBe('before\nafter\n');
});

test('later lines stay on their own line if the empty line before ours is gone', async () => {
  const home = freshHome();
  const file = place(home, '.zshrc', 'before\n');
  await changes(home, 'zsh', '--install');
  writeFileSync(file, `${readFileSync(file, 'utf8').replace('\n\n', '\n')}after\n`);
  await changes(home, 'zsh', '--uninstall');
  expect(readFileSync(file, 'utf8')).toBe('before\nafter\n');
});

test('settings that are a symbolic link stay one', async () => {
  const home = freshHome();
  const real = place(home, 'dotfiles/zshrc', 'a\n');
  symlinkSync(real, join(home, '.zshrc'));
  await changes(home, 'zsh', '--install');
  expect(readlinkSync(join(home, '.zshrc'))).toBe(real);
  expect(readFileSync(real, 'utf8')).toContain('>>> waybill completion >>>');
  await changes(home, 'zsh', '--uninstall');
  expect(readFileSync(real, 'utf8')).toBe('a\n');
});

test.each(shells)('%s: a foreign file is left unchanged', async (shell) => {
  const home = freshHome();
  place(home, scripts[shell], 'complete -F mine waybill\n');
  const before = everything(home);
  for (const flag of ['--install', '--uninstall']) {
    const { stderr, stdout, exit } = await waybill(['completion', shell, flag, '--json'], { home });
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 6 });
    expect(jsonOf(stderr).error).toMatchObject({ code: 'not_ours' });
    expect(everything(home)).toEqual(before);
  }
});

test('changed markers stop it before anything is written', async () => {
  const home = freshHome();
  place(home, '.zshrc', 'a\n# >>> waybill completion >>>\nb\n');
  const before = everything(home);
  for (const flag of ['--install', '--uninstall']) {
    const { stderr, exit } = await waybill(['completion', 'zsh', flag], { home });
    expect({ exit, said: stderr.includes('Take out by hand') }).toEqual({ exit: 6, said: true });
    expect(everything(home)).toEqual(before);
  }
});

test('folders with other files stay', async () => {
  const home = freshHome();
  await changes(home, 'fish', '--install');
  place(home, '.config/fish/completions/other.fish', '');
  await changes(home, 'fish', '--uninstall');
  expect(readdirSync(join(home, '.config/fish/completions'))).toEqual(['other.fish']);
});

test('a path that cannot be written is reported, with what to do', async () => {
  const home = freshHome();
  writeFileSync(join(home, '.config'), '');
  const { stderr, exit } = await waybill(['completion', 'fish', '--install'], { home });
  expect(exit).toBe(2);
  expect(stderr).toMatch(/cannot be put in its place.*\n.*prints the script/s);
});

test('the variables of the shells change the paths', async () => {
  const home = freshHome();
  const env = { XDG_DATA_HOME: join(home, 'd'), XDG_CONFIG_HOME: join(home, 'c'), ZDOTDIR: join(home, 'z') };
  for (const shell of shells) await waybill(['completion', shell, '--install'], { home, env });
  for (const file of [
    'd/bash-completion/completions/waybill',
    'd/zsh/site-functions/_waybill',
    'z/.zshrc',
    'c/fish/completions/waybill.fish',
    'c/powershell/waybill.ps1',
  ])
    expect(existsSync(join(home, file)), file).toBe(true);
});

test.each([
  ['/usr/bin/zsh', '_waybill'],
  ['/bin/bash', 'complete -F'],
  ['/opt/fish', 'complete -c'],
  ['/usr/bin/pwsh', 'Register-ArgumentCompleter'],
])('without a shell argument it is that of $SHELL: %s', async (SHELL, part) => {
  expect((await waybill(['completion'], { env: { SHELL } })).stdout).toContain(part);
});

test('a shell without completion gets the choices; both flags at once are refused', async () => {
  const { stderr, exit } = await waybill(['completion', '--json'], { env: { SHELL: '/bin/csh' } });
  expect(exit).toBe(2);
  expect(jsonOf(stderr).error).toMatchObject({ missing: ['SHELL'], choices: [...shells] });
  expect((await waybill(['completion', 'bash', '--install', '--uninstall'])).exit).toBe(2);
});
