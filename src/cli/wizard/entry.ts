import type { Command } from '../command.ts';
import { create } from '../commands/new.ts';
import type { Host } from '../host.ts';
import { readGlobals } from '../line/globals.ts';
import { parse, wantsJson } from '../line/parse.ts';
import { isCi } from '../progress.ts';

/**
 * The wizard, where no command is typed: for a person in a terminal, and where flags of its own are typed. Null:
 * help is what is wanted.
 */
export async function bareCommand(rest: readonly string[], host: Host): Promise<Command | null> {
  if (rest.some((token) => /^--(?:resume|emit-script)(?:=|$)/.test(token))) return create;
  if (!host.stderr.isTerminal || !host.stdin.isTerminal || isCi(host)) return null;
  if (wantsJson(rest, host.environment)) return null;
  const { help, global } = await parse({ path: ['new'], command: create, rest }, host.environment);
  return help || !readGlobals(global).input ? null : create;
}
