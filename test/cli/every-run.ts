import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import type { Records } from './every-record.ts';
import { freshHome } from './harness.ts';

type Options = NonNullable<Parameters<Records['run']>[1]>;

/** Runs the line of a command on fresh records, with additional flags; an endless command is aborted. */
export function runsOf({ ids, run }: Records) {
  return async (
    entry: Entry,
    flags: readonly string[],
    options: Options = {},
  ): ReturnType<Records['run']> => {
    const { words, stdin, endless, before, now, files = {} } = lineOf(entry, ids);
    const home = freshHome();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    if (before !== undefined) await run(before, { home });
    const controller = new AbortController();
    const { written } = options;
    return run([...words, ...flags], {
      home,
      ...(stdin === undefined ? {} : { stdin }),
      ...(now === undefined ? {} : { now }),
      signal: controller.signal,
      ...options,
      written: (text) => {
        if (endless === true) queueMicrotask(() => controller.abort());
        written?.(text);
      },
    });
  };
}
