import { mkdirSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/invocation.ts';
import { phrase } from '../kit/result/message.ts';
import { codeOf, reasonOf } from '../kit/system/file-errors.ts';
import { writeWhole } from '../kit/system/whole-file.ts';
import { hasBlock, withBlock, withoutBlock } from './block.ts';
import type { InstallPlace, ShellSettings } from './install-location.ts';
import { mark } from './scripts/words.ts';

/** The change made to a file. */
export interface Change {
  file: string;
  change: 'written' | 'changed' | 'unchanged' | 'removed' | 'absent';
}

/** The number of folders created for the script; recorded in it, so that they are removed with it. */
const foldersLine = /^# Folders made for it: (\d+)\n/m;

/** Installs a script and adds it to the shell's settings if needed. Throws Failure. */
export function install({ script, settings }: InstallPlace, text: string): Change[] {
  return guarded(script, () => {
    const before = ownScript(script);
    const folders = before === null ? missingFolders(dirname(script)) : foldersOf(before);
    const changed = settings === null ? null : settingsWith(settings);
    const whole = folders === 0 ? text : withFolders(text, folders);
    const changes = [replaceFile(script, before === null ? null : Buffer.from(before), Buffer.from(whole))];
    if (settings !== null && changed !== null)
      changes.push(replaceFile(settings.file, contentOf(settings.file), changed));
    return changes;
  });
}

/** True if the settings already load the script. Throws Failure. */
export function isInSettings({ file }: ShellSettings): boolean {
  return guarded(file, () => {
    const content = contentOf(file);
    return content !== null && hasBlock(content, file);
  });
}

/** Adds the script to the settings. Throws Failure. */
export function addToSettings(settings: ShellSettings): Change {
  const { file } = settings;
  return guarded(file, () => replaceFile(file, contentOf(file), settingsWith(settings)));
}

/** Removes exactly what install() added. Throws Failure. */
export function uninstall({ script, settings }: InstallPlace): Change[] {
  return guarded(script, () => {
    const before = ownScript(script);
    const content = settings === null ? null : contentOf(settings.file);
    const rest = settings === null || content === null ? null : withoutBlock(content, settings.file);
    const changes: Change[] = [{ file: script, change: before === null ? 'absent' : 'removed' }];
    if (settings !== null) changes.push(removeFromSettings(settings.file, rest));
    if (before !== null) {
      rmSync(script);
      removeFolders(dirname(script), foldersOf(before));
    }
    return changes;
  });
}

function removeFromSettings(file: string, rest: Buffer | null): Change {
  if (rest === null) return { file, change: 'absent' };
  if (rest.length > 0 || !isOurs(file)) return replaceFile(file, null, rest);
  rmSync(file);
  return { file, change: 'removed' };
}

/** A file that starts with our lines was created for them. */
function isOurs(file: string): boolean {
  return contentOf(file)?.[0] === 0x23;
}

function settingsWith({ file, lines }: ShellSettings): Buffer {
  return withBlock(contentOf(file), lines, file);
}

/** The installed script; null if there is none. Throws Failure if the file is not ours. */
function ownScript(file: string): string | null {
  const content = contentOf(file)?.toString('utf8') ?? null;
  if (content === null || content.includes(`# ${mark}\n`)) return content;
  throw new Failure(6, 'not_ours', `${file} is not a script of waybill: it was left as it is.`, {
    hint: phrase`Move it away first, or print the script and put it where you like: ${invocation('completion', ['SHELL'])}`,
  });
}

function withFolders(text: string, count: number): string {
  return text.replace(`# ${mark}\n`, (line) => `${line}# Folders made for it: ${count}\n`);
}

/** The script without the record of its folders. */
export function withoutFolders(text: string): string {
  return text.replace(foldersLine, '');
}

function foldersOf(text: string): number {
  return Number(foldersLine.exec(text)?.[1] ?? 0);
}

function missingFolders(folder: string): number {
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined || dirname(folder) === folder;
  return isThere ? 0 : 1 + missingFolders(dirname(folder));
}

/** Only removes empty folders. */
function removeFolders(folder: string, count: number): void {
  if (count === 0) return;
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  removeFolders(dirname(folder), count - 1);
}

function contentOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Replaces a file atomically, follows links, and keeps its mode. */
function replaceFile(file: string, before: Buffer | null, content: Buffer): Change {
  if (before?.equals(content)) return { file, change: 'unchanged' };
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  // Not writable by others, as zsh would otherwise skip it.
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  const target = mode === undefined ? file : realpathSync(file);
  const given = mode === undefined ? { mode: 0o644 } : { mode: mode & 0o7777, isGiven: true };
  writeWhole(target, content, given);
  return { file, change: mode === undefined ? 'written' : 'changed' };
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const message = `Completion cannot be put in its place, or taken from it: ${reasonOf(error)} (${file}).`;
    throw new Failure(2, 'completion_unusable', message, {
      hint: phrase`\`${invocation('completion', ['SHELL'])}\` prints the script: it can be put anywhere by hand.`,
      cause: error,
    });
  }
}
