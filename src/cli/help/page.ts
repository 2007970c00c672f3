import type { Example } from '../kit/args/command-spec.ts';

/** A term and its description. */
export type Line = readonly [left: string, right: string];

/** A part of a page: a paragraph, terms with their meanings, example commands, or preformatted text. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'lines'; lines: readonly Line[] }
  | { kind: 'examples'; examples: readonly Example[] }
  | { kind: 'code'; text: string };

export interface Section {
  /** Null for the part directly below the page's title. */
  title: string | null;
  blocks: readonly Block[];
}

/** A page of help or the manual, before layout. */
export interface Page {
  /** As it is typed: `waybill orders create`. */
  name: string;
  /** One line without a period. */
  summary: string;
  sections: readonly Section[];
}

export function text(words: string): Block {
  return { kind: 'text', text: words };
}

/** Preformatted text, shown as it is. */
export function code(preformatted: string): Block {
  return { kind: 'code', text: preformatted };
}

export function lines(title: string, entries: readonly Line[]): Section[] {
  return entries.length === 0 ? [] : [{ title, blocks: [{ kind: 'lines', lines: entries }] }];
}

export function words(title: string | null, ...paragraphs: string[]): Section {
  return { title, blocks: paragraphs.map(text) };
}
