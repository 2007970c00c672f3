import { resolve } from 'node:path';
import { BadValue, type Flag, text } from '../kit/args/flags.ts';
import type { Host } from '../kit/host/host.ts';
import { embeddedFile } from '../settings/settings.ts';

/** A database that exists as long as the process. */
export const inMemory = ':memory:';

/** `--database`: a file, `:memory:` or a URL of PostgreSQL. */
export function databaseFlag(): Flag<string | undefined> {
  const options = { summary: 'SQLite file, :memory:, or postgres://...', placeholder: 'DATABASE' };
  return { ...text(options), read: (texts) => readDatabase(texts.at(-1) ?? '') };
}

/** The location of a database; without a flag that of the embedded service. */
export function databaseOf(
  host: Pick<Host, 'folder'> & Parameters<typeof embeddedFile>[0],
  given: string | undefined,
): string {
  if (given === undefined) return embeddedFile(host);
  return isPostgres(given) || given === inMemory ? given : resolve(host.folder, given);
}

/** True for a URL of PostgreSQL. */
function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** The message does not repeat the URL, which may contain a password. A single letter is a Windows drive. */
function readDatabase(given: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):(?:\/\/|$)/i.exec(given)?.[1];
  const wrong = given === '' ? 'nothing' : scheme === undefined || isPostgres(given) ? null : `${scheme}:`;
  if (wrong === null) return given;
  throw new BadValue(`must be a file, :memory:, or postgres://..., not ${wrong}`);
}
