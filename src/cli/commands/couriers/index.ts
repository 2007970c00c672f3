import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  list: async () => (await import('./list.ts')).list,
  connect: async () => (await import('./connect.ts')).connect,
  check: async () => (await import('./check.ts')).check,
  enable: async () => (await import('./enable.ts')).enable,
  disable: async () => (await import('./disable.ts')).disable,
  remove: async () => (await import('./remove.ts')).remove,
};
