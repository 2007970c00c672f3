import { BadBaseUrl, parseBaseUrl } from '../../client/addresses.ts';
import { BadValue, type Flag, text } from '../line/flags.ts';

/** `--database`: a file, `:memory:` or a URL of PostgreSQL. */
export function databaseFlag(): Flag<string | undefined> {
  const options = { summary: 'A file, :memory:, or postgres://...', placeholder: 'DATABASE' };
  return { ...text(options), read: (texts) => readDatabase(texts.at(-1) ?? '') };
}

/** `--public-url`: an address of the web, which goes into links. */
export function publicUrlFlag(): Flag<string | undefined> {
  const options = { summary: 'Where others reach it; in tracking links', placeholder: 'URL' };
  return { ...text(options), read: (texts) => readUrl(texts.at(-1) ?? '') };
}

/** True for a URL of PostgreSQL. */
export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** The address is not repeated: a password may stand in it. A single letter is a drive of Windows. */
function readDatabase(given: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):(?:\/\/|$)/i.exec(given)?.[1];
  const wrong = given === '' ? 'nothing' : scheme === undefined || isPostgres(given) ? null : `${scheme}:`;
  if (wrong === null) return given;
  throw new BadValue(`takes a file, :memory:, or postgres://..., not ${wrong}`);
}

function readUrl(given: string): string {
  try {
    parseBaseUrl(given);
    return given;
  } catch (error) {
    if (!(error instanceof BadBaseUrl)) throw error;
    throw new BadValue('takes an address that begins with http:// or https://, without a password');
  }
}
