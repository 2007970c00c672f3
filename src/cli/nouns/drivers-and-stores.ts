/** Drivers and stores, which commands find by ID or by name. */
import { Unsupported } from '../../client/errors.ts';
import { records } from '../../client/pages.ts';
import type { Driver } from '../../contract/providers.ts';
import { foldedWords } from '../../domain/search-text.ts';
import { type Flag, textFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { didYouMean, type Invocation, invocation, type NextStep } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';

/** How a driver is named on the command line. */
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
 * The ID of a driver by ID or name: the whole name, or its first words if only one driver has them. Throws `not_found`,
 * and UsageError if several drivers match.
 */
export async function findDriverId(context: Context, word: string): Promise<string> {
  if (/^drv_/.test(word)) return word;
  const client = await context.client();
  const all: Driver[] = [];
  for await (const driver of records(client.drivers.list, {})) all.push(driver);
  return idNamed(word, all, { noun: 'driver', list: invocation('drivers list') });
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

/**
 * The ID of the record with this name: the whole name, or its first words if only one has them. `Sam` is `Sam Smith`,
 * and not `Samantha`. Throws `record_not_found`, and UsageError if several match.
 */
function idNamed(
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

/** The maximum number of names in an error. */
const max_choices = 20;

interface Named {
  id: string;
  name: string;
}

/** Without case, accents and punctuation, as a search finds it. */
function folded(name: string): string {
  return foldedWords(name).join(' ');
}

/** Columns of drivers. */
export const driverColumns: readonly Column<Driver>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'name', header: 'Name', kind: 'text' },
  { field: 'on_duty', header: 'On duty', kind: 'text', value: ({ on_duty }) => (on_duty ? 'yes' : 'no') },
  { field: 'stops_left', header: 'Stops left', kind: 'count' },
  {
    field: 'location.recorded_at',
    header: 'Position as of',
    kind: 'time',
    spare: 2,
    value: ({ location }) => location?.recorded_at,
  },
  {
    field: 'location',
    header: 'Position',
    kind: 'text',
    spare: 1,
    unlessEmpty: true,
    value: ({ location }) => location && `${location.lat},${location.lng}`,
  },
  { field: 'vehicle_type', header: 'Vehicle', kind: 'text', wide: true },
  { field: 'assign_without_asking', header: 'Without asking', kind: 'text', wide: true },
  { field: 'phone_number', header: 'Phone', kind: 'phone', wide: true },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true },
];

/**
 * The commands that give a driver's delivery to another one, on duty if there is one and with the fewest stops, and
 * that report what became of it, which asks for the status and the note. A delivery that the driver has not got yet
 * has nothing to report: it can be canceled.
 */
export function handoverSteps(
  delivery_id: string,
  driver_id: string,
  drivers: readonly Driver[],
): NextStep[] {
  const [other] = drivers
    .filter(({ id }) => id !== driver_id)
    .sort(
      (left, right) => Number(right.on_duty) - Number(left.on_duty) || left.stops_left - right.stops_left,
    );
  const owner = drivers.find(({ id }) => id === driver_id);
  const isTheirs = owner?.deliveries.some(({ id }) => id === delivery_id) === true;
  const end = isTheirs
    ? {
        ...invocation('deliveries report', [delivery_id, 'STATUS'], { note: 'TEXT' }),
        when: 'Report what became of it',
      }
    : { ...invocation('deliveries cancel', [delivery_id]), when: 'Cancel it' };
  if (other === undefined) return [end];
  const assign = invocation('deliveries assign', [delivery_id], { driver: other.id });
  return [{ ...assign, when: `Give it to ${other.name}` }, end];
}
