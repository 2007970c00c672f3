import type { Fault, FlagFault } from '../errors/failure.ts';
import { dashed } from '../result/message.ts';
import type { CommandSpec } from './command-spec.ts';
import { flagLabel, placeLabel } from './input.ts';

/** Adds the flag to a fault: the one it names, or the one that its path belongs to. */
export function namedFault(fault: Fault, command: CommandSpec | null): FlagFault {
  if (isNamed(fault)) return fault;
  const { path, message, conflicts_with } = fault;
  const other = conflicts_with === undefined ? null : flagForPath(conflicts_with, command);
  const named = other === null ? message : `cannot be given together with ${other}`;
  return { path, message: named, flag: flagForPath(path, command) };
}

function isNamed(fault: Fault): fault is FlagFault {
  return 'flag' in fault && (fault.flag === null || typeof fault.flag === 'string');
}

/** The flag or positional for `orders[0].dropoff_phone_number`: `--dropoff-phone-number`. */
export function flagForPath(path: string, command: CommandSpec | null): string | null {
  if (command === null) return null;
  const fields = path.split(/[.[\]]+/).filter((part) => part !== '' && !/^\d+$/.test(part));
  for (const field of fields.reverse()) {
    const label = labelOf(field, command);
    if (label !== null) return label;
  }
  return null;
}

function labelOf(field: string, { flags, positionals }: CommandSpec): string | null {
  const names = [
    field.replaceAll('-', '_'),
    field.replace(/s$/, ''),
    field.replace(/_ids?$/, ''),
    field.replace(/_ids$/, 's'),
  ];
  const isSame = (name: string) => names.includes(dashed(name).replaceAll('-', '_'));
  const flag = Object.keys(flags).find((name) => isSame(name) || flags[name]?.aliases.some(isSame));
  if (flag !== undefined) return flagLabel(flag);
  const isOfKind = ({ kind }: { kind: string }) => field.endsWith(`_${kind}`);
  const place = Object.entries(positionals).find(
    ([name, positional]) => isSame(name) || isOfKind(positional),
  );
  return place === undefined ? null : placeLabel(place[0]);
}
