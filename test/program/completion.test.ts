import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { deliveryLine } from '../cli/completion/machine.ts';
import { freshHome as emptyHome, waybill as inProcess } from '../cli/harness.ts';
import { inTerminal } from './pseudo-terminal.ts';
import { freshHome, type Home, program, root, waybill } from './run.ts';

/** A home with a delivery. */
const folder = emptyHome();
const reference = '#10 42: "a"';
let id = '';

beforeAll(async () => {
  id = (await inProcess(deliveryLine(reference), { home: folder })).stdout.trim();
});

/** The program on the path, in the home with a delivery. */
function seeing(): Home {
  const home = freshHome();
  return { folder, env: { ...home.env, HOME: folder, TERM: 'dumb' } };
}

function isThere(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

/** The output of a shell for these lines. */
function said(shell: string, lines: string, ...flags: string[]): string[] {
  const { folder: cwd, env } = seeing();
  const { stdout, stderr } = spawnSync(shell, [...flags, '-c', lines], { cwd, env, encoding: 'utf8' });
  return (stdout + stderr).split('\n').filter((line) => line !== '');
}

const script = (name: string) => join(root, 'completions', name);

/** The candidates of bash for a line: its function is called as bash does. */
function inBash(line: string, type = 9): string[] {
  const words = [
    `source '${script('waybill.bash')}'`,
    `COMP_LINE='${line.replaceAll("'", "'\\''")}'; COMP_POINT=\${#COMP_LINE}; COMP_TYPE=${type}`,
    `COMP_WORDS=($COMP_LINE); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _waybill waybill`,
    `printf "%s\\n" "\${COMPREPLY[@]}"`,
  ];
  return said('bash', words.join('\n'), '--norc');
}

test('bash completes commands, flags, values, ids and references', ({ skip }) => {
  if (!isThere('bash')) skip('bash is not installed here');
  expect(inBash('waybill deliver')).toEqual(['deliveries']);
  expect(inBash('waybill deliveries list --stu')).toEqual(['--stuck']);
  expect(inBash('waybill deliveries list --status=in')).toEqual(['initial', 'in_transit']);
  expect(inBash('waybill deliveries get dlv')).toEqual([id]);
  expect(inBash('waybill deliveries get \\#10\\ 4')).toEqual(['\\#10\\ 42:\\ \\"a\\"']);
  expect(inBash('waybill deliveries list --status i', 63)).toContain('in_transit');
  expect(inBash('waybill deliveries w', 63)[1]).toMatch(/^wait {2,}\(Wait until/);
});

test('without a database and without the folder, the fixed candidates are offered silently', async () => {
  const home = freshHome({ HOME: '/nowhere' });
  const answered = (...words: string[]) => waybill(home, '__complete', '--', ...words);
  expect(await answered('deliveries', 'list', '--status', 'ful')).toEqual({
    stdout: 'values\nfulfilled\n',
    stderr: '',
    exit: 0,
  });
  rmSync(home.folder, { recursive: true });
  const line = `mkdir '${home.folder}' && cd '${home.folder}' && rmdir '${home.folder}' && exec "$0" "$@"`;
  const words = ['orders', 'get', '--api-key-file', 'key', ''];
  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', line, process.execPath, program, '__complete', '--', ...words],
    {
      env: home.env,
      encoding: 'utf8',
    },
  );
  expect({ stdout, stderr, status }).toEqual({ stdout: 'values\n', stderr: '', status: 0 });
});

test('bash without bash-completion completes after loading the script', async ({ skip }) => {
  if (!isThere('bash')) skip('bash is not installed here');
  const home = freshHome({ PS1: '$ ', TERM: 'dumb', INPUTRC: '/dev/null' });
  const { shown, type } = inTerminal(home, ['-i'], { cols: 80, shell: 'bash' });
  type('source <(waybill completion bash)\n');
  type('waybill deliveries list --status ful\t');
  await expect.poll(shown).toContain('waybill deliveries list --status fulfilled');
});

test('zsh completes commands, flags, values, ids and references', ({ skip }) => {
  if (!isThere('zsh')) skip('zsh is not installed here');
  // In a real terminal: the typed text, a Tab, and the resulting line.
  const typed = [
    'waybill deliver',
    'waybill deliveries list --stu',
    'waybill deliveries get dlv',
    'waybill deliveries get \\\\#10',
  ];
  const lines = [
    'zmodload zsh/zpty',
    'zpty -b z "zsh -f -i"',
    'print -r -- "PS1=; fpath=($COMPLETIONS \\$fpath); autoload -Uz compinit; compinit -u -D" > $HOME/z.zsh',
    'print -r -- \'shown() { print -r -- "<<$BUFFER>>" >> $HOME/z.out; BUFFER=; }; zle -N shown; bindkey ^T shown; print ready >> $HOME/z.out\' >> $HOME/z.zsh',
    'zpty -w z "source $HOME/z.zsh"',
    'until [[ -s $HOME/z.out ]]; do sleep 0.05; done',
    ...typed.map((line) => `zpty -w -n z $'${line}\\t\\x14'`),
    `until (( $(grep -c '>>' $HOME/z.out) >= ${typed.length} )); do sleep 0.05; zpty -r -t z line; done`,
    'zpty -d z',
  ];
  said('zsh', `COMPLETIONS='${join(root, 'completions')}'\n${lines.join('\n')}`, '-f');
  const out = readFileSync(join(folder, 'z.out'), 'utf8');
  const found = [...out.matchAll(/<<(.*?)>>/gs)].map(([, line]) => line?.trimEnd());
  expect(found).toEqual([
    'waybill deliveries',
    'waybill deliveries list --stuck',
    `waybill deliveries get ${id}`,
    'waybill deliveries get \\#10\\ 42:\\ \\"a\\"',
  ]);
});

test('fish completes commands, flags, values, ids and references, each with its description', ({ skip }) => {
  if (!isThere('fish')) skip('fish is not installed here');
  const lines = [
    'deliver',
    'deliveries list --stu',
    'deliveries list --status=in',
    'deliveries get dlv',
    'deliveries get \\\\#10',
    'orders import pack',
  ];
  const found = said(
    'fish',
    [
      `source '${script('waybill.fish')}'; cd '${root}'`,
      ...lines.map((line) => `complete -C "waybill ${line}"`),
    ].join('\n'),
  );
  expect(found).toEqual([
    'deliveries\tFind and manage deliveries',
    expect.stringMatching(/^--stuck\tOnly active/),
    '--status=initial',
    '--status=in_transit',
    `${id}\trequest, ${reference}`,
    `${reference}\trequest, ${id}`,
    'package-lock.json',
    'package.json',
  ]);
});

test('PowerShell completes commands, flags, values and ids', ({ skip }) => {
  if (!isThere('pwsh')) skip('PowerShell is not installed here: what its script says is looked at elsewhere');
  const lines = ['waybill deliver', 'waybill deliveries list --stu', 'waybill deliveries get dlv'];
  const code = lines.map(
    (line) => `(TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`,
  );
  expect(said('pwsh', [`. '${script('waybill.ps1')}'`, ...code].join('\n'), '-NoProfile')).toEqual([
    'deliveries',
    '--stuck',
    id,
  ]);
});

test('if the program gives no answer the commands are still offered', ({ skip }) => {
  if (!isThere('bash')) skip('bash is not installed here');
  const { folder: cwd, env } = freshHome();
  writeFileSync(join(cwd, 'bin', 'waybill'), '#!/bin/sh\nexit 1\n');
  const lines = `source '${script('waybill.bash')}'; COMP_LINE='waybill que'; COMP_POINT=11; COMP_TYPE=9; COMP_WORDS=(waybill quo); COMP_CWORD=1; _waybill waybill; echo "\${COMPREPLY[@]}"`;
  expect(spawnSync('bash', ['-c', lines], { cwd, env, encoding: 'utf8' }).stdout).toBe('quotes\n');
});

test('completing a line never executes part of it', ({ skip }) => {
  if (!isThere('bash')) skip('bash is not installed here');
  expect(inBash("waybill deliveries get $(touch '$HOME/run') `touch run` x")).toEqual([]);
  expect(spawnSync('ls', [folder], { encoding: 'utf8' }).stdout).not.toContain('run');
});
