import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  explain: async () => (await import('./explain.ts')).explain,
  watch: async () => (await import('./watch.ts')).watch,
  wait: async () => (await import('./wait.ts')).wait,
  quote: async () => (await import('./quote.ts')).quote,
  create: async () => (await import('./create.ts')).create,
  initiate: async () => (await import('./initiate.ts')).initiate,
  assign: async () => (await import('./assign.ts')).assign,
  report: async () => (await import('./report.ts')).report,
  unlock: async () => (await import('./unlock.ts')).unlock,
  edit: async () => (await import('./edit.ts')).edit,
  cancel: async () => (await import('./cancel.ts')).cancel,
  retry: async () => (await import('./retry.ts')).retry,
  note: async () => (await import('./note.ts')).note,
  dispute: async () => (await import('./dispute.ts')).dispute,
};
