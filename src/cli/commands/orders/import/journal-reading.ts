import { createReadStream, type ReadStream } from 'node:fs';
import { UsageError } from '../../../kit/errors/failure.ts';
import { codeOf, reasonOf } from '../../../kit/system/file-errors.ts';
import { entryOf } from './journal-entries.ts';
import { apply, type JournalState, newState, type Span } from './journal-state.ts';

/** A journal that cannot be read: it was changed, or cut where no process of ours cuts it. */
export class DamagedJournal extends Error {
  override name = 'DamagedJournal';

  constructor(path: string, at: number) {
    super(`The journal ${path} is damaged: it cannot be read from byte ${at} on.`);
  }
}

/**
 * What a journal says, and how far it is whole: a line that was being written may be missing its end, but not the
 * first, which is there from the beginning. Null where there is none. Throws DamagedJournal.
 */
export async function readJournal(path: string): Promise<{ state: JournalState; end: number } | null> {
  let state: JournalState | null = null;
  let end = 0;
  let isThere = false;
  const stream = createReadStream(path).once('open', () => {
    isThere = true;
  });
  for await (const { text, span } of linesOf(stream, path)) {
    const entry = entryOf(text);
    if (entry === null || (state === null && entry.type !== 'import'))
      throw new DamagedJournal(path, span.at);
    if (state !== null) apply(state, entry, span);
    else if (entry.type === 'import') state = newState(entry);
    end = span.at + span.length;
  }
  if (state === null && isThere) throw new DamagedJournal(path, 0);
  return state === null ? null : { state, end };
}

interface Line {
  text: string;
  /** With the newline. */
  span: Span;
}

/** Every line that has its end; none where there is no file. */
async function* linesOf(stream: ReadStream, path: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0;
  try {
    for await (const bytes of stream) {
      if (!Buffer.isBuffer(bytes)) continue;
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        yield { text: rest.toString('utf8', 0, end), span: { at, length: end + 1 } };
        at += end + 1;
        rest = rest.subarray(end + 1);
      }
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw new UsageError(`The journal ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}
