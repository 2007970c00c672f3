import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  create: async () => (await import('./create.ts')).create,
  import: async () => (await import('./import.ts')).importing,
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  wait: async () => (await import('./wait.ts')).wait,
  tries: async () => (await import('./tries.ts')).tries,
  cancel: async () => (await import('./cancel.ts')).cancel,
};
