import type { BatchRecords } from './batch-records.ts';

/** The totals of a run. */
export interface Totals {
  kills: number;
  batches: number;
  /** How often a process killed itself, by crash point; `moment`: how often it was killed from outside. */
  deaths: Record<string, number>;
  outcomes: Record<string, number>;
  /** The deliveries that have not failed, by their provider. */
  carried: Record<string, number>;
  /** The couriers' records, by kind. */
  entries: Record<string, number>;
  /** Counts a death. */
  note: (how: string) => void;
  add: (records: BatchRecords) => void;
}

export function newTotals(): Totals {
  const totals: Totals = {
    kills: 0,
    batches: 0,
    deaths: {},
    outcomes: {},
    carried: {},
    entries: {},
    note: (how) => {
      totals.kills += 1;
      count(totals.deaths, how);
    },
    add: ({ entries, deliveries, courier_entries }) => {
      totals.batches += 1;
      for (const { status } of entries) count(totals.outcomes, status);
      for (const { service, status } of deliveries)
        if (status !== 'failed') count(totals.carried, service ?? '');
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
