/** The dry run of an import: its first request is shown instead of sent. */
import { isFields } from '../../../../domain/fields.ts';
import { DryRun } from '../../../kit/errors/failure.ts';
import { documentResult } from '../../../kit/result/result.ts';
import type { Context } from '../../../session/command.ts';
import { settingsToSend } from '../auto-dispatch.ts';
import type { Header } from './journal.ts';
import { countText } from './progress.ts';
import { bodyOf, chunksIn, headersOf } from './send-chunks.ts';
import { createTally, type Source } from './source.ts';

/** Shows the first request that would be sent, and how many there would be, and ends the command; nothing is sent. */
export async function showFirstRequest(context: Context, source: Source, header: Header): Promise<never> {
  const client = await context.client();
  const { settings, file } = header;
  const requests = await chunkCount(source, header);
  if (!context.output.json)
    context.note(`The first of ${countText(requests, 'request')}, for ${countText(file.rows, 'row')}:`);
  for await (const { rows } of chunksIn(source, header, createTally())) {
    if (rows.length === 0) continue;
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
      throw withCounts(error, { request_count: requests, row_count: file.rows });
    });
  }
  throw new Error('a dry run sent something');
}

async function chunkCount(source: Source, header: Header): Promise<number> {
  let count = 0;
  for await (const { rows } of chunksIn(source, header, createTally())) count += rows.length > 0 ? 1 : 0;
  return count;
}

/** Adds the counts to the request, for programs, which read no notes. */
function withCounts(error: unknown, counts: Record<string, number>): unknown {
  if (!(error instanceof DryRun) || error.answer.kind !== 'document' || !isFields(error.answer.data))
    return error;
  return new DryRun(documentResult({ ...error.answer.data, ...counts }));
}
