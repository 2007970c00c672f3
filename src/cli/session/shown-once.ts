import { UsageError } from '../kit/errors/failure.ts';
import type { ColumnHead } from '../kit/result/result.ts';
import type { Context } from './command.ts';

/**
 * Refuses a format or a selection of fields without the field that is shown only once, before anything is sent; with
 * `columns`, also fields that the answer does not have. Throws UsageError.
 */
export function requireShown(
  { output: { format, fields } }: Pick<Context, 'output'>,
  field: string,
  columns?: readonly ColumnHead[],
): void {
  const isLost = fields === null ? format === 'id' : !fields.includes(field);
  if (isLost) {
    const chosen = fields === null ? 'The format id' : `--json=${fields.join(',')}`;
    throw new UsageError(`${chosen} leaves out the field ${field}, which is shown only once.`, {
      hint: `Use --json=${[...(fields ?? []), field].join(',')} instead.`,
    });
  }
  const choices = columns?.map((column) => column.field) ?? fields ?? [];
  const unknown = fields?.find((each) => !choices.includes(each));
  if (unknown !== undefined) {
    throw new UsageError(`The answer has no field "${unknown}".`, { code: 'unknown_field', choices });
  }
}
