import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionIndexText } from '../../../src/build/help-texts.ts';
import type { RecordQuery } from '../../../src/cli/completion/candidates.ts';
import { complete } from '../../../src/cli/completion/complete-line.ts';
import { serviceRecords } from '../../../src/cli/completion/service-records.ts';
import { freshHome, hostFor, waybill } from '../harness.ts';
import { orderLine } from '../sandbox.ts';

/** The completion index as the build writes it. */
const index = await completionIndexText();

export interface Machine {
  home: string;
  /** The candidates for the last word, without descriptions; `files` if the shell completes file names. */
  words(...line: string[]): Promise<string[]>;
  /** The same as passed to the shells. */
  lines(argv: readonly string[], env?: Record<string, string>): Promise<string[]>;
  /** Runs a command with the embedded service of the home. */
  run(argv: readonly string[], env?: Record<string, string>): ReturnType<typeof waybill>;
}

/** A new home folder with the completion index of the build. */
export function machine(): Machine {
  const home = freshHome();
  const file = join(home, 'completion.txt');
  writeFileSync(file, index);
  const lines = async (argv: readonly string[], env: Record<string, string> = {}) => {
    // A busy machine has more time than a user waits.
    const host = hostFor({ home, env, sleep: () => new Promise(() => {}) }, { stdout: '', stderr: '' });
    const ask = (query: RecordQuery) => serviceRecords(query, host);
    return (await complete(argv, { file, environment: env, ask })).trimEnd().split('\n');
  };
  return {
    home,
    lines,
    words: async (...line) => {
      const [kind = '', ...found] = await lines(['--', ...line]);
      return kind === 'values' ? found.map((text) => text.split('\t')[0] ?? '') : [kind];
    },
    run: (argv, env = {}) => waybill(argv, { home, env }),
  };
}

/** A stored delivery with a reference. */
export function deliveryLine(reference: string): string[] {
  const notes = ['--dropoff-notes', 'Ring twice'];
  return ['deliveries', 'create', ...orderLine.slice(2), ...notes, '--ref', reference, '-o', 'id'];
}
