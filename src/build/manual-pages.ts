/** Manual pages: the pages of help as roff, which `man` reads (https://man7.org/linux/man-pages/man7/man.7.html). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block, HelpLine, Page, Section } from '../cli/help/page-layout.ts';

/** The version and the date (2026-01-31) that manual pages show. */
export interface Release {
  version: string;
  date: string;
}

/** A manual page: `man1/waybill-orders-create.1`, and its roff text. */
interface ManualPage {
  file: string;
  text: string;
}

/** Converts help pages to manual pages: commands in section 1, topics in section 7. */
export function manualPages(pages: readonly Page[], release: Release): ManualPage[] {
  return pages.map((page) => {
    const section = isTopic(page) ? 7 : 1;
    return { file: `man${section}/${pageName(page)}.${section}`, text: roffOf(page, section, release) };
  });
}

/** Writes the pages into a folder for `man -M`. */
export function writeManual(folder: string, pages: readonly ManualPage[]): void {
  for (const section of ['man1', 'man7']) mkdirSync(join(folder, section), { recursive: true });
  for (const { file, text } of pages) writeFileSync(join(folder, file), text);
}

function isTopic({ name }: Page): boolean {
  return /^waybill help ./.test(name);
}

/** `waybill orders create` becomes `waybill-orders-create`, a topic `waybill-exit-codes`. */
function pageName(page: Page): string {
  return (isTopic(page) ? page.name.replace(' help ', ' ') : page.name).replaceAll(' ', '-');
}

function roffOf(page: Page, section: number, { version, date }: Release): string {
  const name = pageName(page);
  return [
    `.TH ${quoted(name.toUpperCase())} ${section} "${date}" ${quoted(`waybill ${version}`)} "waybill"`,
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(page.summary)}`,
    ...page.sections.flatMap(sectionLines),
    ...(name === 'waybill' ? [] : ['.SH "SEE ALSO"', '.BR waybill (1)']),
    '',
  ].join('\n');
}

/** The titles of manual pages for sections of help that are called otherwise there. */
const titles: Readonly<Record<string, string>> = { Usage: 'SYNOPSIS', Related: 'RELATED COMMANDS' };

function sectionLines({ title, blocks }: Section): string[] {
  const heading = title === null ? ['.PP'] : [`.SH ${quoted((titles[title] ?? title).toUpperCase())}`];
  const [first, ...others] = blocks.flatMap(blockLines);
  // A heading begins a paragraph.
  return [...heading, ...(first === undefined || first === '.PP' ? [] : [first]), ...others];
}

function blockLines(block: Block, index: number): string[] {
  switch (block.kind) {
    case 'text':
      return block.text
        .split(/\n{2,}/)
        .flatMap((paragraph, nth) => [
          ...(index + nth > 0 ? ['.PP'] : []),
          line(paragraph.replace(/\s+/g, ' ').trim()),
        ]);
    case 'lines':
      return block.lines.flatMap(termLines);
    case 'examples':
      return block.examples.flatMap(({ command, summary }) => [
        '.PP',
        line(`${summary}:`),
        '.PP',
        '.RS 4',
        '.nf',
        ...command.split('\n').map(line),
        '.fi',
        '.RE',
      ]);
    case 'code':
      return ['.PP', '.RS 4', '.nf', ...block.text.split('\n').map(line), '.fi', '.RE'];
  }
}

function termLines([left, right]: HelpLine): string[] {
  if (right === '') return ['.PP', bold(left)];
  return ['.TP', bold(left), line(right)];
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** A line of text; a leading dot or quote would start a roff request, so it is escaped. */
function line(text: string): string {
  return escaped(text).replace(/^(?=[.'])/, '\\&');
}

const special: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** Escapes text for roff: non-ASCII letters by number, special characters by name. */
export function escaped(text: string): string {
  return text
    .replace(/[\\\-'`^~"]/g, (character) => special[character] ?? character)
    .replace(
      /[^\n -~]/gu,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}
