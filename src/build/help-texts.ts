/** The texts that the build prepares from the command tree: help pages (`manual-pages.ts`: as roff), and the data of completion. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionPages } from '../cli/completion/build-index.ts';
import { indexText } from '../cli/completion/candidates.ts';
import { allPages, helpPages } from '../cli/help/help-pages.ts';
import { guideTopics, topics } from '../cli/help/help-topics.ts';
import { tree } from '../cli/tree.ts';
import { connectableCouriers } from '../providers/directory.ts';
import { couriers } from '../providers/simulated/couriers.ts';
import { manualPages, type Release, writeManual } from './manual-pages.ts';

/**
 * Writes the prerendered help pages: the main page, all others in one file, and the offsets of each, so that the
 * entry can print a page without loading the program or parsing the rest. The manual has the same pages.
 */
export async function writeHelp(folder: string, release: Release): Promise<void> {
  const manual = (await allPages(tree)).map(({ page }) => page);
  writeManual(join(folder, 'man'), manualPages(manual, release));
  const { '': root = '', ...pages } = await helpPages(tree);
  const { text, places } = joinPages(pages);
  writeFileSync(join(folder, 'help.txt'), root);
  writeFileSync(join(folder, 'help-pages.txt'), text);
  // Written last: no input newer than it means that a build is complete, which an interrupted one must not seem to be.
  writeFileSync(join(folder, 'help.json'), JSON.stringify(places));
}

/** The start and end of a page in the joined text, in bytes. */
type Offsets = [start: number, end: number];

/** Joins the pages into one text, each page once for all its names, and returns the offsets by name. */
function joinPages(pages: Readonly<Record<string, string>>): {
  text: string;
  places: Record<string, Offsets>;
} {
  const offsets = new Map<string, Offsets>();
  let end = 0;
  const appendPage = (page: string): Offsets => {
    const start = end;
    end += Buffer.byteLength(page);
    return [start, end];
  };
  const places = Object.entries(pages).map(([name, page]) => {
    const place = offsets.get(page) ?? appendPage(page);
    offsets.set(page, place);
    return [name, place] as const;
  });
  return { text: [...offsets.keys()].join(''), places: Object.fromEntries(places) };
}

/** The completion data: the command tree and the sandbox providers. */
export async function completionIndexText(): Promise<string> {
  const providers = couriers.map(({ name }) => ({ value: name, description: 'simulated' }));
  const adapters = await Promise.all(connectableCouriers.map(({ load }) => load()));
  const connectable = adapters.map(({ name, title }) => ({ value: name, description: title }));
  const pages = [...topics, ...guideTopics].map(({ name, summary }) => ({
    value: name,
    description: summary,
  }));
  return indexText(await completionPages(tree, { providers, couriers: connectable, topics: pages }));
}
