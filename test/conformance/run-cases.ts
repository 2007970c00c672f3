import { ApiError, Unreachable } from '../../src/client/errors.ts';
import { callbackCases, progressCases } from './event-cases.ts';
import { type Case, type Probe, Skipped } from './probe.ts';
import { courierCases, deliveryCases, quoteCases } from './request-cases.ts';

export const everyCase: readonly Case[] = [
  ...courierCases,
  ...quoteCases,
  ...deliveryCases,
  ...progressCases,
  ...callbackCases,
];

export interface CaseResult {
  case: string;
  status: 'passed' | 'failed' | 'skipped';
  /** The requirement on the courier. */
  demand: string;
  /** The deviation, or why the case was skipped; empty if it passed. */
  found: string;
}

/** Runs every case at a courier, one after the other. */
export async function* runCases(probe: Probe): AsyncGenerator<CaseResult> {
  for (const each of everyCase)
    yield { case: each.name, demand: each.demand, ...(await outcomeOf(each, probe)) };
}

async function outcomeOf(each: Case, probe: Probe): Promise<Pick<CaseResult, 'status' | 'found'>> {
  try {
    const fault = await each.test(probe);
    return fault === null ? { status: 'passed', found: '' } : { status: 'failed', found: fault };
  } catch (error) {
    if (error instanceof Skipped) return { status: 'skipped', found: error.message };
    // No response, or one that is no HTTP, is the courier's fault.
    if (error instanceof Unreachable || error instanceof ApiError) {
      return { status: 'failed', found: error.message };
    }
    throw error;
  }
}
