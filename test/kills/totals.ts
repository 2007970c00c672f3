import type { Ledger } from './batch-records.ts';
import type { Death } from './crash-plan.ts';
import type { FirstCall } from './recovery.ts';

export interface Dying {
  death: Death | null;
  /** Whether it was killed from outside. */
  isOurs: boolean;
  /** Its work was already done. */
  isEarly: boolean;
  first: FirstCall | null;
}

/** The totals of a run. */
export interface Tally {
  kills: number;
  batches: number;
  /** How often a process killed itself, by crash point; `moment`: how often it was killed from outside. */
  deaths: Record<string, number>;
  outcomes: Record<string, number>;
  /** The couriers' records, by kind. */
  entries: Record<string, number>;
  firstCalls: FirstCall[];
  note: (dying: Dying) => void;
  add: (ledger: Ledger) => void;
}

export function newTally(): Tally {
  const tally: Tally = {
    kills: 0,
    batches: 0,
    deaths: {},
    outcomes: {},
    entries: {},
    firstCalls: [],
    note: ({ death, isOurs, isEarly, first }) => {
      if (first !== null) tally.firstCalls.push(first);
      if (death === null || (isOurs && isEarly)) return;
      tally.kills += 1;
      count(tally.deaths, isOurs || !('at' in death) ? 'moment' : death.at);
    },
    add: ({ entries, books }) => {
      tally.batches += 1;
      for (const { status } of entries) count(tally.outcomes, status);
      for (const { kind } of books) count(tally.entries, kind);
    },
  };
  return tally;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** The given percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

/** The summary of a long run. */
export function tallyText({ kills, batches, deaths, outcomes, entries, firstCalls }: Tally): string {
  const ready = firstCalls.map(({ since_ready }) => since_ready);
  const start = firstCalls.map(({ since_start }) => since_start);
  const spread = (values: readonly number[]) =>
    [50, 95, 100].map((percent) => `${Math.round(percentile(values, percent))}`).join(' / ');
  const lines = [
    `${kills} kills over ${batches} batches: ${JSON.stringify(deaths)}`,
    `orders: ${JSON.stringify(outcomes)}; couriers' books: ${JSON.stringify(entries)}`,
  ];
  if (firstCalls.length === 0) return lines.join('\n');
  return [
    ...lines,
    `first courier call after ${firstCalls.length} restarts, ms (median / p95 / worst):`,
    `  ${spread(ready)} from the ready line, ${spread(start)} from the start`,
    `  ${ready.filter((ms) => ms >= 1_000).length} took longer than a second`,
  ].join('\n');
}
