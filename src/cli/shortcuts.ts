import { kindOfId } from './records.ts';

/** Commands of deliveries that also work without `deliveries`: the short name, and the command that it runs. */
export const shortcuts: Readonly<Record<string, readonly [group: 'deliveries', verb: string]>> = {
  find: ['deliveries', 'get'],
  explain: ['deliveries', 'explain'],
  where: ['deliveries', 'explain'],
  proof: ['deliveries', 'explain'],
  watch: ['deliveries', 'watch'],
  cancel: ['deliveries', 'cancel'],
  retry: ['deliveries', 'retry'],
  assign: ['deliveries', 'assign'],
};

/** Shown in help, and by completion. */
export const shortcutSummary =
  'The same for a delivery as its commands: find is get, where and proof are explain';

/** `cancel order 1042` is not about a delivery. */
const otherNoun =
  /^(order|route|quote|batch(e|es)?|event|webhook|store|courier|driver|charge|dispute|key)s?$/;

/** Verbs that other records than deliveries have, by the group of the record whose ID follows. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  find: ['orders', 'routes', 'batches'],
  cancel: ['orders', 'batches'],
};

/**
 * The line with the whole command: `deliveries cancel 1042` for `cancel 1042`, `orders cancel ord_1` for `cancel ord_1`.
 * All words after `find` or `explain` are one search text, as a caller says them; `assign 1042 Sam` names the driver.
 */
export function withoutShortcut(argv: readonly string[]): readonly string[] {
  const [word = '', ...words] = argv;
  const rest = /^(deliver(y|ies)|is|of)$/.test(words[0] ?? '') ? words.slice(1) : words;
  if (word === 'charges' && /\d/.test(rest[0] ?? '')) return ['charges', 'list', '--order', ...rest];
  const meant = Object.hasOwn(shortcuts, word) ? shortcuts[word] : undefined;
  if (meant === undefined || otherNoun.test(rest[0] ?? '')) return argv;
  const other = kindOfId(rest[0] ?? '')?.group ?? '';
  const [group, verb] = meant;
  if (ofOthers[word]?.includes(other)) return [other, verb, ...rest];
  const [delivery = '', driver = '', ...more] = rest;
  if (word === 'assign' && driver !== '' && !driver.startsWith('-'))
    return [group, verb, delivery, '--driver', driver, ...more];
  if (verb !== 'get' && verb !== 'explain') return [group, verb, ...rest];
  const end = rest.findIndex((each) => each.startsWith('-'));
  const said = end < 0 ? rest : rest.slice(0, end);
  return [group, verb, ...(said.length === 0 ? [] : [said.join(' ')]), ...rest.slice(said.length)];
}
