import { quoted } from '../exchange/exchanges.ts';
import { flagLabel } from './input.ts';

type FlagValue = string | number | boolean | undefined;

/** A command as it is typed, its flags by their names in the code; flags without a value are left out. */
export function commandLine(
  words: readonly string[],
  flags: Readonly<Record<string, FlagValue>> = {},
): string {
  const typed = Object.entries(flags).flatMap(([name, value]) => flagWords(name, value));
  return ['waybill', ...words, ...typed].map(quoted).join(' ');
}

function flagWords(name: string, value: FlagValue): string[] {
  if (value === undefined || value === false) return [];
  return value === true ? [flagLabel(name)] : [flagLabel(name), String(value)];
}
