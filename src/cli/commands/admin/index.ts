import type { Verbs } from '../../session/command.ts';

/** In the order of help; each is loaded for itself. */
export const verbs: Verbs = {
  failed: async () => (await import('./failed.ts')).failed,
};
