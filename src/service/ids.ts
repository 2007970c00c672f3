import { ulid } from 'ulid';
import { type Chance, random } from './ports/chance.ts';

export type Prefix =
  | 'acct'
  | 'key'
  | 'ord'
  | 'rte'
  | 'job'
  | 'rq'
  | 'dsp'
  | 'dlv'
  | 'chg'
  | 'tsk'
  | 'quo'
  | 'str'
  | 'evt';

/** The id of a request: it need not repeat, only differ. */
export function newRequestId(at: number): string {
  return `req_${ulid(at, random)}`;
}

/**
 * An id that sorts by its time and repeats with its parts: `ord_01J...`. `at` is in milliseconds.
 * The same parts at the same instant are the same record, so a repeated step makes nothing twice.
 */
export function newId(chance: Chance, prefix: Prefix, at: number, ...parts: readonly string[]): string {
  const bytes = chance('id', prefix, ...parts);
  let next = 0;
  const draw = () => ((bytes[next++ % bytes.length] ?? 0) % 32) / 32;
  return `${prefix}_${ulid(at, draw)}`;
}
