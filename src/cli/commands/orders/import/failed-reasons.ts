import { createReadStream } from 'node:fs';
import { recordsIn } from './csv-rows.ts';

const max_shown = 3;

/** The reasons of the first failed rows, with their lines: `line 2, dropoff_address: ...`. Empty if they are unreadable. */
export async function firstReasons(failed_file: string): Promise<string[]> {
  const found: string[] = [];
  try {
    let names: readonly string[] | null = null;
    for await (const { cells } of recordsIn(createReadStream(failed_file, 'utf8'), failed_file)) {
      if (names === null) names = cells;
      else found.push(`line ${cells[names.indexOf('line')]}, ${cells[names.indexOf('error')]}`);
      if (found.length === max_shown) break;
    }
  } catch {
    // The hint names the file.
  }
  return found;
}
