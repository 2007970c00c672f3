import { Unsupported } from '../../client/errors.ts';
import { records } from '../../client/pages.ts';
import { foldedWords } from '../../domain/search-text.ts';
import { didYouMean } from '../kit/args/suggestions.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { type Invocation, invocation } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

/** The maximum number of names in an error. */
const max_choices = 20;

interface Named {
  id: string;
  name: string;
}

/**
 * The ID of the record with this name: the whole name, or its first words if only one has them. `Sam` is `Sam Smith`,
 * and not `Samantha`. Throws `record_not_found`, and UsageError if several match.
 */
export function idNamed(
  word: string,
  all: readonly Named[],
  { noun, list }: { noun: string; list: Invocation },
): string {
  const wanted = folded(word);
  const isNamed = (name: string) => (wanted === '' ? name === word : folded(name) === wanted);
  const exact = all.filter(({ name }) => isNamed(name));
  const extended = all.filter(({ name }) => wanted !== '' && folded(name).startsWith(`${wanted} `));
  const found = exact.length > 0 ? exact : extended;
  const [first, ...others] = found;
  const next = [{ ...list, when: `List the ${noun}s` }];
  if (first === undefined) {
    const hint = didYouMean(
      word,
      all.map(({ name }) => name),
    );
    throw new Failure(5, 'record_not_found', `There is no ${noun} named "${word}".`, {
      ...(hint === undefined ? {} : { hint }),
      choices: all.slice(0, max_choices).map(({ name }) => name),
      next,
    });
  }
  if (others.length === 0) return first.id;
  throw new UsageError(`${found.length} ${noun}s match "${word}": give the ID of one.`, {
    choices: found.map(({ id }) => id),
    next,
  });
}

/** Without case, accents and punctuation, as a search finds it. */
function folded(text: string): string {
  return foldedWords(text).join(' ');
}

/** The ID of a store by ID or name. Of a service that lists no stores, the word itself. */
export async function findStoreId(context: Pick<Context, 'client'>, word: string): Promise<string> {
  if (/^str_/.test(word)) return word;
  const client = await context.client();
  const all: Named[] = [];
  try {
    for await (const store of records(client.stores.list, {})) all.push(store);
  } catch (error) {
    if (error instanceof Unsupported) return word;
    throw error;
  }
  // Another service may have IDs of another form.
  if (all.some(({ id }) => id === word)) return word;
  return idNamed(word, all, { noun: 'store', list: invocation('stores list') });
}
