import { isFields } from '../../../../domain/fields.ts';
import { DryRun } from '../../../kit/errors/failure.ts';
import { document } from '../../../kit/result/result.ts';
import type { Context } from '../../../session/command.ts';
import { chunksIn } from './chunks.ts';
import type { Header } from './journal-entries.ts';
import { countOf } from './progress-text.ts';
import { headersOf } from './send-chunks.ts';
import { createTally, type Source } from './source.ts';

/** Shows the first request that would be sent, and how many there would be, and ends the command; nothing is sent. */
export async function showFirst(context: Context, source: Source, header: Header): Promise<never> {
  const client = await context.client();
  const { settings, file } = header;
  const requests = await chunkCount(source, header);
  if (!context.output.json)
    context.note(`The first of ${countOf(requests, 'request')}, for ${countOf(file.rows, 'row')}:`);
  for await (const { rows } of chunksIn(source, header, createTally())) {
    const orders = rows.map(({ order }) => order);
    const headers = headersOf(header);
    const sent =
      settings === null
        ? client.orders.createMany({ body: { orders }, headers })
        : client.orders.create({ body: { orders, settings }, headers });
    await sent.catch((error: unknown) => {
      throw counting(error, { request_count: requests, row_count: file.rows });
    });
  }
  throw new Error('a dry run sent something');
}

async function chunkCount(source: Source, header: Header): Promise<number> {
  let count = 0;
  for await (const _ of chunksIn(source, header, createTally())) count += 1;
  return count;
}

/** Adds the counts to the request, for programs, which read no notes. */
function counting(error: unknown, counts: Record<string, number>): unknown {
  if (!(error instanceof DryRun) || error.answer.kind !== 'document' || !isFields(error.answer.data))
    return error;
  return new DryRun(document({ ...error.answer.data, ...counts }));
}
