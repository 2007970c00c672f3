import type { Invocation } from '../../../kit/result/invocation.ts';
import { invocation } from '../../../kit/result/invocation.ts';
import type { Source, TypedFlags } from './source.ts';

/** The files beside the one that is imported. */
export interface Places {
  journal: string;
  ok: string;
  failed: string;
  /** There while a process imports the file. */
  lock: string;
}

export function placesOf(path: string): Places {
  return {
    journal: `${path}.waybill-journal`,
    ok: `${path}.ok.csv`,
    failed: `${path}.failed.csv`,
    lock: `${path}.waybill-lock`,
  };
}

/** The command that imports a file, as it is typed: with the flags that were typed this time. */
export function importLine(
  { name, typed }: Pick<Source, 'name' | 'typed'>,
  flags: TypedFlags = {},
): Invocation {
  return invocation('orders import', [name], { ...typed, ...flags });
}
