import { createCsvFile, failedCells, failedHeader, removeFile } from './csv-files.ts';
import type { Journal } from './journal.ts';
import { totalsOf } from './journal-state.ts';
import type { Places } from './places.ts';

/** Writes what became of every row, in the order of the file, from what the journal says. */
export async function writeResults(journal: Journal, { ok, failed }: Places): Promise<void> {
  const { state } = journal;
  const { columns } = state.header.file;
  const made = createCsvFile(ok, ['line', 'external_order_ref', 'order_id', 'batch_id']);
  const others = totalsOf(state).failed === 0 ? null : createCsvFile(failed, failedHeader(columns));
  const numbers = [...state.settled.keys()].sort((a, b) => a - b);
  for (const number of numbers) {
    const chunk = state.settled.get(number);
    if (chunk === undefined) continue;
    const done = journal.read(chunk.span);
    for (const { line, ref, order_id } of done.made) await made.write([line, ref, order_id, done.batch_id]);
    for (const row of done.failed) await others?.write(failedCells(columns, row));
  }
  await made.keep();
  if (others === null) removeFile(failed);
  else await others.keep();
}
