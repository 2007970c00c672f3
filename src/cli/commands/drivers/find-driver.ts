import { records } from '../../../client/pages.ts';
import type { Driver } from '../../../contract/drivers.ts';
import { type Flag, text } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';

/** How a driver is named on the command line. */
export const driverWord = "Driver's name, or ID: drv_…";

/** `--driver`: who gets a dispatch. */
export function driverFlag(group?: string): Flag<string | undefined> {
  return text({
    summary: 'Give it to this driver of your own fleet, without asking: a name, or an ID',
    ...{ placeholder: 'DRIVER', aliases: ['driver-id'] },
    ...(group === undefined ? {} : { group }),
  });
}

/**
 * The ID of a driver by ID or name: the whole name, or its beginning if only one driver has it. Throws `not_found`,
 * and UsageError if several drivers match.
 */
export async function findDriverId(context: Context, word: string): Promise<string> {
  if (/^drv_/.test(word)) return word;
  const client = await context.client();
  const all: Driver[] = [];
  for await (const driver of records(client.drivers.list, {})) all.push(driver);
  const wanted = folded(word);
  const exact = all.filter(({ name }) => folded(name) === wanted);
  const found = exact.length > 0 ? exact : all.filter(({ name }) => folded(name).startsWith(wanted));
  const [first, ...others] = found;
  if (first === undefined) {
    throw new Failure(5, 'record_not_found', `There is no driver named "${word}".`, {
      next: [{ ...invocation('drivers list'), when: 'List the drivers' }],
    });
  }
  if (others.length === 0) return first.id;
  throw new UsageError(`${found.length} drivers match "${word}": give the ID of one.`, {
    choices: found.map(({ id }) => id),
  });
}

function folded(text: string): string {
  return text.trim().toLocaleLowerCase('en');
}
