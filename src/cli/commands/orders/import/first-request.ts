/** The dry run of an import: its first request is shown instead of sent. */
import { isFields } from '../../../../domain/fields.ts';
import { DryRun } from '../../../kit/errors/failure.ts';
import { documentResult } from '../../../kit/result/result.ts';
import type { Context } from '../../../session/command.ts';
import { settingsToSend } from '../auto-dispatch.ts';
import { type JournalState, openChunk } from './journal.ts';
import { countText } from './progress.ts';
import { bodyOf, chunksIn, headersOf, type ImportRow, remainingRows } from './send-chunks.ts';
import { createTally, type Source } from './source.ts';

/**
 * Shows the first request that would be sent, and how many there would be, and ends the command; nothing is sent. Returns if
 * no request would be sent.
 */
export async function showFirstRequest(context: Context, source: Source, state: JournalState): Promise<void> {
  const client = await context.client();
  const { header } = state;
  const { settings } = header;
  const counts = { request_count: 0, row_count: 0 };
  for await (const rows of rowsToSend(source, state)) {
    counts.request_count += 1;
    counts.row_count += rows.length;
  }
  for await (const rows of rowsToSend(source, state)) {
    if (!context.output.json)
      context.note(
        `The first of ${countText(counts.request_count, 'request')}, for ${countText(counts.row_count, 'row')}:`,
      );
    const body = bodyOf(header, rows);
    const headers = headersOf(header);
    const sent =
      settings === null
        ? client.orders.createMany({ body, headers })
        : client.orders.create({
            body: { ...body, settings: settingsToSend(settings, body.orders) },
            headers,
          });
    await sent.catch((error: unknown) => {
      throw withCounts(error, counts);
    });
  }
}

/** The rows of each request that is left. */
async function* rowsToSend(source: Source, state: JournalState): AsyncGenerator<ImportRow[]> {
  for await (const chunk of chunksIn(source, state.header, createTally())) {
    const open = openChunk(state, chunk.number);
    const isSent = state.settled.has(chunk.number) || open.batch_id !== null;
    const rows = isSent ? [] : remainingRows(chunk, open).map(([, row]) => row);
    if (rows.length > 0) yield rows;
  }
}

/** Adds the counts to the request, for programs, which read no notes. */
function withCounts(error: unknown, counts: Record<string, number>): unknown {
  if (!(error instanceof DryRun) || error.answer.kind !== 'document' || !isFields(error.answer.data))
    return error;
  return new DryRun(documentResult({ ...error.answer.data, ...counts }));
}
