import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

export const root = join(import.meta.dirname, '..', '..');
export const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** An empty folder, removed when the test ends. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), 120_000);
  return folder;
}

const sources = ['bin', 'completions', 'src', 'package.json', 'package-lock.json', 'README.md', 'LICENSE'];

/** Copies what a build needs to a new folder. */
export function copySources(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true });
  runOrFail(folder, 'cp', '-a', join(root, 'node_modules'), 'node_modules');
}

/** Builds the copied sources in a folder. */
export function buildIn(folder: string): void {
  runOrFail(folder, process.execPath, 'src/build/bundle.ts');
}

/** Runs a program with the environment of the test. Throws unless it succeeds. */
export function runOrFail(folder: string, program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
}

/** Runs a program in an empty home, with no environment except that and a path to Node. */
function runIn(home: string, program: string, ...words: string[]) {
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, PATH: dirname(process.execPath) };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: home, env, encoding: 'utf8' });
  return { exit: status, stdout, stderr };
}

/** The first steps of a new user must work in an empty home. */
export function firstSteps(home: string, program: string): void {
  expect(runIn(home, program, '--version')).toEqual({ exit: 0, stdout: `${version}\n`, stderr: '' });
  expect(runIn(home, program, '--help').stdout).toContain('waybill COMMAND [FLAGS]');
  expect(runIn(home, program, 'help', 'orders', 'create').stdout).toContain('Examples');
  const start = runIn(home, program, 'start', '--json');
  expect(start.exit, start.stderr).toBe(0);
  expect(start.stdout).toContain('"delivered"');
  expect(runIn(home, program, 'deliveries', 'list', '--json')).toEqual({
    exit: 0,
    stdout: '[]\n',
    stderr: '',
  });
  const who = runIn(home, program, 'whoami', '--json');
  expect(JSON.parse(who.stdout)).toMatchObject({ profile: 'sandbox', mode: 'test', api_key_from: 'profile' });
  expect(runIn(home, program, 'whoami', '--base-url', 'http://127.0.0.1:1').exit).toBe(4);
}
