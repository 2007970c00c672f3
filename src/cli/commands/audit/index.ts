import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  list: async () => (await import('./list.ts')).list,
};
