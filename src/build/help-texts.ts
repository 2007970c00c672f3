/** The texts that the build makes of the command tree: help, manual pages (`manual-pages.ts`) and completion data. */
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
  const { text, offsets } = joinPages(pages);
  writeFileSync(join(folder, 'help.txt'), root);
  writeFileSync(join(folder, 'help-pages.txt'), text);
  // This file is written last: if it is newer than all inputs, the build is complete (`bundle.ts`).
  writeFileSync(join(folder, 'help.json'), JSON.stringify(offsets));
}

/** The start and end of a page in the joined text, in bytes. */
type Offsets = [start: number, end: number];

/** Joins the pages into one text, each page once for all its names, and returns the offsets by name. */
function joinPages(pages: Readonly<Record<string, string>>): {
  text: string;
  offsets: Record<string, Offsets>;
} {
  const offsetsByText = new Map<string, Offsets>();
  let end = 0;
  const appendPage = (page: string): Offsets => {
    const start = end;
    end += Buffer.byteLength(page);
    return [start, end];
  };
  const entries = Object.entries(pages).map(([name, page]) => {
    const offsets = offsetsByText.get(page) ?? appendPage(page);
    offsetsByText.set(page, offsets);
    return [name, offsets] as const;
  });
  return { text: [...offsetsByText.keys()].join(''), offsets: Object.fromEntries(entries) };
}

/** The completion data: the command tree, the sandbox providers, the couriers and the topics of help. */
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
