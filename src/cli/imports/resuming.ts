import { renameSync } from 'node:fs';
import type { OrderSettings } from '../../contract/orders.ts';
import { Failure, UsageError } from '../failures/failure.ts';
import type { Header } from './journal-entries.ts';
import { type JournalState, totalsOf } from './journal-state.ts';
import { importLine, type Places } from './places.ts';
import { counted } from './progress-text.ts';
import { type Source, tallyOf } from './source.ts';

/** Keeps a journal that is not gone on with: it says what was made. */
export function setAside(journal: string): void {
  renameSync(journal, `${journal}.old`);
}

export function nothingToResume(source: Source, { journal }: Places): UsageError {
  return new UsageError(`There is no import of ${source.name} to resume: there is no ${journal}.`, {
    next: [{ command: importLine(source), when: 'begin one' }],
  });
}

/** Why a file is not imported again without more ado. */
export function unfinished(source: Source, state: JournalState): Failure {
  const { header, isFinished } = state;
  const at = new Date(header.at).toISOString();
  const { made } = totalsOf(state);
  const again = { command: importLine(source, { restart: true }), when: 'make all of its orders anew' };
  const resume = importLine(source, { resume: true });
  const message = isFinished
    ? `${source.name} was imported already, at ${at}: ${counted(made)} orders were made.`
    : `An import of ${source.name} was begun at ${at} and is not finished.`;
  const next = {
    command: resume,
    when: isFinished ? 'see the result again' : 'go on, nothing is made twice',
  };
  return new Failure(6, 'import_begun', message, { next: [next, again] });
}

interface Again {
  source: Source;
  settings: OrderSettings | null;
  simulation: string | null;
  place: Header['place'];
}

/**
 * An import goes on as it was begun: elsewhere, with other settings or from another file the orders that were sent
 * already would be made again. Throws Failure.
 */
export async function checkSame(
  header: Header,
  { source, settings, simulation, place }: Again,
): Promise<void> {
  const { profile, service, mode } = header.place;
  if (JSON.stringify(place) !== JSON.stringify(header.place))
    throw other(
      `It was begun in ${mode} mode with the profile ${profile} at ${service}, in another account than this.`,
    );
  if (settings !== null && !isSame(settings, header.settings))
    throw other(
      `It was begun with other settings: ${JSON.stringify(header.settings ?? { mechanism: 'manual' })}.`,
    );
  if (simulation !== null && simulation !== header.simulation)
    throw other(`It was begun with ${header.simulation === null ? 'no scenario' : header.simulation}.`);
  const tally = await tallyOf(source);
  if (tally.sha256() !== header.file.sha256)
    throw other(`${source.name} was changed since ${new Date(header.at).toISOString()}.`);
}

function isSame(settings: OrderSettings, begun: OrderSettings | null): boolean {
  const sorted = (each: OrderSettings) => JSON.stringify(Object.entries(each).sort());
  return begun !== null && sorted(settings) === sorted(begun);
}

function other(why: string): Failure {
  return new Failure(6, 'import_differs', 'The import cannot go on.', {
    why,
    hint: 'Resume it as it was begun, or take --restart, which makes all of its orders anew.',
  });
}
