import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import { reasonOf } from '../../../../kit/system/files.ts';

/** Which column of a CSV file is read as which field of an order: the header as given, and the field. */
export type ColumnMap = readonly (readonly [header: string, field: string])[];

/** Reads each `--map`: `HEADER=FIELD`, or the path of a file with such lines. Throws UsageError. */
export function readColumnMap(given: readonly string[], folder: string): ColumnMap {
  return given.flatMap((text) =>
    text.includes('=') ? [pairOf(text, `--map "${text}"`)] : pairsInFile(text, folder),
  );
}

/** Empty lines and those that begin with `#` are skipped. */
function pairsInFile(name: string, folder: string): ColumnMap {
  let text: string;
  try {
    text = readFileSync(resolve(folder, name), 'utf8');
  } catch (error) {
    throw new UsageError(
      `--map must be HEADER=FIELD or a file, and ${name} cannot be read: ${reasonOf(error)}.`,
    );
  }
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.flatMap((line, index) =>
    /^\s*(#|$)/.test(line) ? [] : [pairOf(line, `${name}, line ${index + 1}`)],
  );
}

function pairOf(text: string, where: string): readonly [string, string] {
  const [, header = '', field = ''] = /^\s*(.*\S)\s*=\s*(\w+)\s*$/.exec(text) ?? [];
  if (header !== '') return [header, field.toLowerCase()];
  throw new UsageError(`${where} is not HEADER=FIELD.`, {
    hint: "For example: --map 'Shipping Name=dropoff_name'.",
  });
}

/**
 * The fields of the headers of a file, in their order; those that the map does not name keep their own. Throws UsageError
 * for a header that the file does not have.
 */
export function mappedFields(
  headers: readonly string[],
  { map, own, name }: { map: ColumnMap; own: (header: string) => string; name: string },
): string[] {
  const fields = headers.map(own);
  for (const [index, [header, field]] of map.entries()) {
    if (map.slice(0, index).some(([other]) => other.toLowerCase() === header.toLowerCase()))
      throw new UsageError(`--map names the column "${header}" twice: one column is one field.`);
    const place = headers.findIndex((each) => each.trim().toLowerCase() === header.toLowerCase());
    if (place < 0) {
      const hint = didYouMean(header, headers);
      throw new UsageError(`${name} has no column "${header}", which --map names.`, hint ? { hint } : {});
    }
    fields[place] = field;
  }
  return fields;
}
