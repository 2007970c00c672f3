import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  create: async () => (await import('./create.ts')).create,
  list: async () => (await import('./list.ts')).list,
  rotate: async () => (await import('./rotate.ts')).rotate,
  revoke: async () => (await import('./revoke.ts')).revoke,
};
