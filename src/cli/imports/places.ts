import { commandLine } from '../line/command-line.ts';
import type { Source } from './source.ts';

/** The files beside the one that is imported. */
export interface Places {
  journal: string;
  ok: string;
  failed: string;
}

export function placesOf(path: string): Places {
  return { journal: `${path}.waybill-journal`, ok: `${path}.ok.csv`, failed: `${path}.failed.csv` };
}

/** The command that imports a file, as it is typed. */
export function importLine({ name }: Source, flags: Readonly<Record<string, boolean>> = {}): string {
  return commandLine(['orders', 'import', name], flags);
}
