import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  clock: async () => (await import('./clock.ts')).clock,
  advance: async () => (await import('./advance.ts')).advance,
  scenarios: async () => (await import('./scenarios.ts')).scenarios,
  scenario: async () => (await import('./scenario.ts')).scenario,
  steps: async () => (await import('./steps.ts')).steps,
  step: async () => (await import('./step.ts')).step,
  provider: async () => (await import('./provider.ts')).provider,
  reset: async () => (await import('./reset.ts')).reset,
};
