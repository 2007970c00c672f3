/** What an exit code says; `category` names it in JSON errors. */
export interface ExitMeaning {
  code: number;
  category: string;
  meaning: string;
}

/** Every exit code of the program. */
export const exits = [
  { code: 0, category: 'done', meaning: 'done; an empty list too' },
  { code: 1, category: 'internal', meaning: 'a fault of this program' },
  {
    code: 2,
    category: 'usage',
    meaning: 'wrong use: unknown or missing flag, bad input, a confirmation that nobody could give',
  },
  { code: 3, category: 'declined', meaning: 'the person said no' },
  { code: 4, category: 'authentication', meaning: 'no key, bad key, not permitted' },
  { code: 5, category: 'not_found', meaning: 'not found' },
  {
    code: 6,
    category: 'conflict',
    meaning:
      'conflict: route not draft, quote expired, wrong mode, above --max-cost or --max-fee, a file that is being imported already',
  },
  { code: 7, category: 'unreachable', meaning: 'service not reachable, or 5xx after retries' },
  { code: 8, category: 'pending', meaning: 'still pending when time ran out' },
  { code: 9, category: 'outcome', meaning: 'a bad outcome: failed, canceled, returned, no quotes' },
  { code: 10, category: 'partial', meaning: 'some of a bulk job failed' },
  { code: 11, category: 'rate_limited', meaning: 'rate limited after retries' },
  { code: 129, category: 'interrupted', meaning: 'the terminal was closed (SIGHUP), by the signal itself' },
  { code: 130, category: 'interrupted', meaning: 'interrupted (Ctrl+C), by the signal itself' },
  { code: 143, category: 'interrupted', meaning: 'told to end (SIGTERM), by the signal itself' },
] as const satisfies readonly ExitMeaning[];

export type ExitCode = (typeof exits)[number]['code'];

/** The category of an exit code; a code outside the table is a fault of this program. */
export function categoryOf(code: number): string {
  return exits.find((exit) => exit.code === code)?.category ?? 'internal';
}
