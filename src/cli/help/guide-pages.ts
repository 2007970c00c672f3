/** The pages of the user's guide, from Markdown: each file is a title, a summary of one sentence, and sections. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import { guideTopics } from './help-topics.ts';
import { type Block, codeBlock, type HelpLine, type Page, type Section, textBlock } from './page-layout.ts';

/** Where the Markdown files are: `src/guide`, which the build copies beside the program. */
const folder = import.meta.dirname.endsWith('help')
  ? join(import.meta.dirname, '..', '..', 'guide')
  : import.meta.dirname;

/** Every page of the guide, in reading order. */
export function guidePages(): Page[] {
  return guideTopics.map(({ name }) => guidePage(name));
}

/** The page of a topic: `webhooks`. Throws what reading its file throws. */
export function guidePage(topic: string): Page {
  return pageOfMarkdown(`waybill help ${topic}`, guideText(topic));
}

/** The Markdown of a topic. */
export function guideText(topic: string): string {
  return readFileSync(join(folder, `${topic}.md`), 'utf8');
}

/** A page from Markdown. The title is left out: the page shows its summary first, as all pages of help do. */
function pageOfMarkdown(name: string, markdown: string): Page {
  const [, summary, ...rest] = lexer(markdown).filter(({ type }) => type !== 'space' && type !== 'html');
  const sections: { title: string | null; blocks: Block[] }[] = [{ title: null, blocks: [] }];
  for (const token of rest) {
    if (isOf(token, 'heading')) sections.push({ title: plainText(token.tokens), blocks: [] });
    else sections.at(-1)?.blocks.push(...blocksOf(token));
  }
  const isFilled = ({ blocks }: Section) => blocks.length > 0;
  return {
    name,
    summary: isOf(summary, 'paragraph') ? plainText(summary.tokens).replace(/\.$/, '') : name,
    sections: sections.filter(isFilled),
  };
}

interface TokenOf {
  heading: Tokens.Heading;
  paragraph: Tokens.Paragraph;
  code: Tokens.Code;
  list: Tokens.List;
  table: Tokens.Table;
  link: Tokens.Link;
}

/** The library's token types overlap with its generic one, so that a comparison alone does not narrow them. */
function isOf<T extends keyof TokenOf>(token: Token | undefined, type: T): token is TokenOf[T] {
  return token?.type === type;
}

function blocksOf(token: Token): Block[] {
  if (isOf(token, 'paragraph')) return [textBlock(plainText(token.tokens))];
  if (isOf(token, 'code')) return [codeBlock(token.text)];
  if (isOf(token, 'list')) return [{ kind: 'lines', lines: token.items.map(listLine) }];
  if (isOf(token, 'table')) return [{ kind: 'lines', lines: token.rows.map(tableLine) }];
  return [];
}

/** A list item: the bold words that it begins with are its term. */
function listLine(item: Tokens.ListItem): HelpLine {
  const [body] = item.tokens;
  const parts = body !== undefined && 'tokens' in body ? (body.tokens ?? []) : [];
  const [first, ...rest] = parts;
  if (first?.type !== 'strong') return ['-', plainText(parts)];
  return [
    plainText([first]).replace(/[.:]$/, '').replaceAll('`', ''),
    plainText(rest).replace(/^[:.]?\s*/, ''),
  ];
}

/** A row of a table: the first cell is the term, followed by the others. */
function tableLine(cells: Tokens.TableCell[]): HelpLine {
  const [left = '', ...right] = cells.map(({ tokens }) => plainText(tokens));
  return [left.replaceAll('`', ''), right.join('; ')];
}

function plainText(tokens: readonly Token[]): string {
  return tokens.map(plainToken).join('').replace(/\s+/g, ' ').trim();
}

function plainToken(token: Token): string {
  if (isOf(token, 'link')) return linkText(token);
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(plainToken).join('');
  return token.type === 'codespan' ? token.raw : unescaped('text' in token ? String(token.text) : token.raw);
}

/** A link to another page of the guide becomes the command that shows it. */
function linkText({ text: label, href }: Tokens.Link): string {
  const page = /^([\w-]+)\.md$/.exec(href)?.[1];
  if (page !== undefined) return `${label} (\`waybill help ${page}\`)`;
  return label === href ? href : `${label} (${href})`;
}

function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
