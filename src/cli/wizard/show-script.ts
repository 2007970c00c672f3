import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../failures/failure.ts';
import { reasonOf } from '../settings/file-errors.ts';
import { writeWhole } from '../settings/whole-file.ts';
import type { Run } from './run.ts';
import { priceFor, scriptOf, takenOf } from './script.ts';

/** The absolute path of the file for the script, or null. Throws UsageError if its folder is not writable. */
export function scriptPlace({ host }: Pick<Context, 'host'>, path: string | undefined): string | null {
  if (path === undefined) return null;
  const place = resolve(host.folder, path);
  try {
    accessSync(dirname(place), constants.W_OK);
    return place;
  } catch (error) {
    throw new UsageError(`The script cannot be written to ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}

interface Ended {
  quote: RouteQuote;
  quotes: RouteQuotes;
  /** When the quote was taken, service time. */
  now: number;
}

/** Shows the script, or writes it to its file. A failure is only a warning, as the route is dispatched. */
export async function showScript(run: Run, ended: Ended): Promise<void> {
  const { context, plan } = run;
  const { quote, quotes, now } = ended;
  const path = plan.script;
  const text = scriptOf(plan, {
    taken: takenOf(quote, quotes, now),
    price: priceFor(quote, await context.mode()),
    lineOf: (line) => context.commandText(line),
  });
  if (path === null) {
    run.say('Full script (--emit-script FILE saves it):');
    for (const line of text.trimEnd().split('\n')) run.quote(`  ${line}`);
    return;
  }
  try {
    // The script contains names, addresses and phone numbers.
    writeWhole(path, text, { mode: 0o700 });
    run.say(`Saved the full script to ${path}.`);
  } catch (error) {
    context.warn(`The script was not written to ${path}: ${reasonOf(error)}.`);
  }
}
