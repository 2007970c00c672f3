import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  status: async () => (await import('./status.ts')).status,
  rotate: async () => (await import('./rotate.ts')).rotate,
};
