import type { Probe } from './probe.ts';

/** A demand of the courier protocol that is tested on its own. */
export interface Case {
  /** Such as `quote-expiry`. */
  name: string;
  /** The demand, as a sentence with the courier as its subject. */
  demand: string;
  /**
   * Gives what was found instead, or null if the demand is met. Throws `Skipped` of `probe.ts` if it cannot be tested.
   */
  test(probe: Probe): Promise<string | null>;
}
