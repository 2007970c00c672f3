import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  accounts: async () => (await import('./accounts.ts')).accounts,
  erase: async () => (await import('./erase.ts')).erase,
  export: async () => (await import('./export.ts')).exportPerson,
  failed: async () => (await import('./failed.ts')).failed,
};
