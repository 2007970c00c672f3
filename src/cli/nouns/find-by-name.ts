/** Drivers, stores and providers by the names that a user types. */
import { Unsupported } from '../../client/errors.ts';
import { allRecords } from '../../client/pages.ts';
import { foldedWords } from '../../domain/search-text.ts';
import { type Flag, textFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { didYouMean, type Invocation, invocation } from '../kit/result/message.ts';
import { otherKindError } from '../records.ts';
import type { Context } from '../session/command.ts';
import { isEndOfId } from './find-order.ts';

/** The help text of the argument that identifies a driver. */
export const driverWord = "Driver's name, or ID: drv_…";

/** `--driver`: who gets a dispatch. */
export function driverFlag(group?: string): Flag<string | undefined> {
  return textFlag({
    summary: 'Give it to this driver of your own fleet, without asking: a name, or an ID',
    placeholder: 'DRIVER',
    aliases: ['driver-id'],
    ...(group === undefined ? {} : { group }),
  });
}

/**
 * The ID of a driver by ID or name: the whole name, or its first words if only one driver has them. Throws `record_not_found`,
 * and UsageError if several drivers match.
 */
export async function findDriverId(context: Context, word: string): Promise<string> {
  if (/^drv_/.test(word)) return word;
  const client = await context.client();
  const all = await allRecords(client.drivers.list, {});
  return findIdByName(word, all, { noun: 'driver', list: invocation('drivers list') });
}

/** The ID of the driver who gets something, as `findDriverId` finds it; warns at once if the driver is off duty. */
export async function findNextDriver(context: Context, word: string): Promise<string> {
  const driver_id = await findDriverId(context, word);
  const client = await context.client();
  // It is given to the driver, also if that cannot be read.
  const found = await client.drivers.get({ params: { driver_id } }).catch(() => null);
  if (found?.data.on_duty !== false) return driver_id;
  const message = `${oneLine(found.data.name)} is off duty, and may not see what is given to them: call them, or go on duty for them.`;
  context.warning('driver_off_duty', message, { driver_id });
  return driver_id;
}

/** `--store`: a filter. */
export function storeFlag(summary = 'Filter by store: its name, or ID'): Flag<string | undefined> {
  return textFlag({ summary, placeholder: 'STORE', aliases: ['store-id'] });
}

/** The ID of a store by ID or name. Of a service that lists no stores, the word itself. */
export async function findStoreId(context: Pick<Context, 'client'>, word: string): Promise<string> {
  if (/^str_/.test(word)) return word;
  const client = await context.client();
  let all: NamedRecord[] = [];
  try {
    all = await allRecords(client.stores.list, {});
  } catch (error) {
    if (error instanceof Unsupported) return word;
    throw error;
  }
  // The IDs of a service other than waybill's may not begin with str_.
  if (all.some(({ id }) => id === word)) return word;
  return findIdByName(word, all, { noun: 'store', list: invocation('stores list') });
}

/**
 * The ID of the record with this name: the whole name, or its first words if only one has them. `Sam` is `Sam Smith`,
 * and not `Samantha`. Throws `record_not_found`, and UsageError if several match.
 */
function findIdByName(
  word: string,
  all: readonly NamedRecord[],
  { noun, list }: { noun: string; list: Invocation },
): string {
  const folded = foldedName(word);
  const exact = all.filter(({ name }) => isSameName(name, word));
  const extended = all.filter(({ name }) => folded !== '' && foldedName(name).startsWith(`${folded} `));
  const named = exact.length > 0 ? exact : extended;
  const ending = isEndOfId(word) ? all.filter(({ id }) => id.endsWith(word.toUpperCase())) : [];
  const found = named.length > 0 ? named : ending;
  const [first, ...others] = found;
  const next = [{ ...list, when: `List the ${noun}s` }];
  if (first === undefined) {
    const hint = didYouMean(
      word,
      all.map(({ name }) => name),
    );
    const isList = word
      .split(',')
      .every((part) => all.some(({ id, name }) => id === part || isSameName(name, part)));
    if (isList)
      throw new UsageError(`Give one ${noun} at a time, not "${word}".`, {
        next: [{ ...invocation('report', [], { by: noun }), when: `See all ${noun}s side by side` }],
      });
    const other = otherKindError(word, noun);
    if (other !== null) throw new Failure(5, 'record_not_found', other.message, { next: other.next });
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

function isSameName(name: string, word: string): boolean {
  return foldedName(word) === '' ? name === word : foldedName(name) === foldedName(word);
}

/** The maximum number of names in an error. */
const max_choices = 20;

interface NamedRecord {
  id: string;
  name: string;
}

/** Without case, accents and punctuation, as a search finds it. */
function foldedName(name: string): string {
  return foldedWords(name).join(' ');
}

/**
 * Refuses a provider that the account does not have, before anything is done with it. A service that lists none is
 * trusted to know it.
 */
export async function checkProvider(
  context: Context,
  name: string | undefined,
  param = '--provider',
): Promise<void> {
  if (name === undefined || !context.has('account') || context.globals.dryRun) return;
  const client = await context.client();
  const { providers } = (await client.account.get()).data;
  if (providers.length === 0 || providers.includes(name)) return;
  const hint = didYouMean(name, providers);
  throw new UsageError(`There is no provider "${name}".`, {
    code: 'bad_value',
    param,
    choices: providers,
    ...(hint === undefined ? {} : { hint }),
  });
}
