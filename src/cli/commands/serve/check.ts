import type { Flag, Given, Origin } from '../../kit/args/flags.ts';
import { envVarOf, flagLabel } from '../../kit/args/input.ts';
import { dashed } from '../../kit/result/message.ts';
import { list, type Result } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { databaseOf } from '../../session/database-flag.ts';
import { type Entry, entryColumns } from '../../settings/entries.ts';
import { serveFlags } from './serve-flags.ts';
import { withoutPassword } from './serve-text.ts';

/** The flags that are not settings of the service. */
const notSettings: readonly string[] = ['check', 'config'];

/** Lists the settings that `serve` would use, with the source of each. */
export function checkResult(context: Context, given: Given): Result {
  const file = given.find('config')?.texts.at(-1) ?? null;
  const data: Entry[] = [];
  for (const [name, flag] of Object.entries(serveFlags)) {
    if (notSettings.includes(name)) continue;
    const found = given.find(name);
    const origin = found?.origin ?? 'default';
    const value = found === null ? flag.defaultText : textOf(flag, found.texts);
    data.push({
      key: dashed(name),
      value: name === 'database' ? databaseText(context, found?.texts.at(-1)) : value,
      origin,
      source: sourceOf(name, origin, file),
    });
  }
  return list({ data, columns: entryColumns(true) });
}

function textOf({ kind, read }: Flag<unknown>, texts: readonly string[]): string {
  if (kind === 'switch') return read(texts) === true ? 'yes' : 'no';
  return texts.join(', ');
}

function databaseText(context: Context, given: string | undefined): string {
  return withoutPassword(databaseOf(context.host, given));
}

function sourceOf(name: string, origin: Origin, file: string | null): string | null {
  if (origin === 'flag') return flagLabel(name);
  if (origin === 'environment') return envVarOf(name);
  return origin === 'file' ? file : null;
}
