import { UsageError } from '../errors/failure.ts';
import { dashed } from '../result/message.ts';
import type { Origin } from './flags.ts';
import type { CommandSpec } from './input.ts';
import type { Parsed } from './parsed-line.ts';
import { didYouMean } from './suggestions.ts';

/**
 * Adds the values of a command's configuration file to a line. A flag and an environment variable override the file.
 * Throws UsageError.
 */
export async function withConfigFile(
  command: CommandSpec,
  parsed: Parsed,
  read: (path: string) => Promise<string>,
): Promise<Parsed> {
  const path = command.configFlag === null ? undefined : parsed.own.flags.get(command.configFlag)?.at(-1);
  if (path === undefined) return parsed;
  const flags = new Map(parsed.own.flags);
  const origins = new Map(parsed.origins);
  for (const [name, texts] of parseConfig(await read(path), path, command)) {
    if (flags.has(name)) continue;
    flags.set(name, texts);
    origins.set(name, 'file' satisfies Origin);
  }
  return { ...parsed, origins, own: { ...parsed.own, flags, origins } };
}

/** Parses lines of the form `name = value`, where the name is that of a flag, in quotes or not; `#` starts a comment. */
function parseConfig(
  text: string,
  path: string,
  { flags, configFlag }: CommandSpec,
): Map<string, readonly string[]> {
  const names = new Map(
    Object.keys(flags)
      .filter((name) => name !== configFlag)
      .map((name) => [dashed(name), name]),
  );
  const values = new Map<string, readonly string[]>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const place = `${path}, line ${index + 1}`;
    const [, label = '', value = ''] = /^([^\s=]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (label === '') throw new UsageError(`${place}: expected a setting such as \`port = 4010\`.`);
    const name = names.get(label);
    if (name === undefined) {
      const hint = didYouMean(label, [...names.keys()]);
      throw new UsageError(`${place}: unknown setting ${label}.`, hint === undefined ? {} : { hint });
    }
    const before = values.get(name) ?? [];
    if (before.length > 0 && flags[name]?.kind !== 'list')
      throw new UsageError(`${place}: ${label} is set twice.`);
    values.set(name, [...before, value.replace(/^(["'])(.*)\1$/, '$2')]);
  }
  return values;
}
