import type { BatchRecords } from './batch-records.ts';
import type { Crash } from './crash-plan.ts';
import type { FirstCall } from './recovery.ts';

export interface CrashedProcess {
  death: Crash | null;
  /** Whether it was killed from outside. */
  isOurs: boolean;
  /** Its work was already done. */
  isEarly: boolean;
  first: FirstCall | null;
}

/** The totals of a run. */
export interface Totals {
  kills: number;
  batches: number;
  /** How often a process killed itself, by crash point; `moment`: how often it was killed from outside. */
  deaths: Record<string, number>;
  outcomes: Record<string, number>;
  /** The couriers' records, by kind. */
  entries: Record<string, number>;
  firstCalls: FirstCall[];
  note: (dying: CrashedProcess) => void;
  add: (records: BatchRecords) => void;
}

export function newTotals(): Totals {
  const totals: Totals = {
    kills: 0,
    batches: 0,
    deaths: {},
    outcomes: {},
    entries: {},
    firstCalls: [],
    note: ({ death, isOurs, isEarly, first }) => {
      if (first !== null) totals.firstCalls.push(first);
      if (death === null || (isOurs && isEarly)) return;
      totals.kills += 1;
      count(totals.deaths, isOurs || !('at' in death) ? 'moment' : death.at);
    },
    add: ({ entries, courier_entries }) => {
      totals.batches += 1;
      for (const { status } of entries) count(totals.outcomes, status);
      for (const { kind } of courier_entries) count(totals.entries, kind);
    },
  };
  return totals;
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
export function totalsText({ kills, batches, deaths, outcomes, entries, firstCalls }: Totals): string {
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
