/** Where the table of a text begins: the line with the headers, and what separates values. */

/** Lines above the headers that may be titles. */
const max_lines = 20;

const separators = [',', ';', '\t', '|'];

export interface TableStart {
  separator: string;
  /** The lines above the header that are not part of the table: titles, and `sep=;`, as Excel reads it. */
  titles: readonly string[];
  /** A file of tabs whose headers have no quotes has none around values either: in `24" pizza` it is an inch. */
  hasQuotes: boolean;
}

/** Whether the text has enough lines to find the header. */
export function hasHead(text: string): boolean {
  return text.split('\n', max_lines + 1).length > max_lines;
}

/**
 * The header is the first line with at least two names that are known, or else the first line of the file. `countKnown`
 * says how many are.
 */
export function findTableStart(head: string, countKnown: (names: readonly string[]) => number): TableStart {
  const lines = head.replace(/^\ufeff/, '').split('\n', max_lines + 1);
  const first = lines.findIndex((line) => line.trim() !== '');
  const sep = /^"?sep=(.)"?$/i.exec(lines[first]?.trim() ?? '')?.[1];
  const start = sep === undefined ? Math.max(0, first) : first + 1;
  const choices = sep === undefined ? separators : [sep];
  for (const [index, line] of lines.entries()) {
    if (index < start) continue;
    const found = mostBy(choices, (separator) => countKnown(namesIn(line, separator)));
    if (found.count >= 2) return tableStart(lines, index, found.separator);
  }
  const { separator } = mostBy(choices, (each) => unquoted(lines[start] ?? '').split(each).length);
  return tableStart(lines, start, separator);
}

function mostBy(choices: readonly string[], countOf: (separator: string) => number) {
  let found = { separator: choices[0] ?? ',', count: -1 };
  for (const separator of choices) {
    const count = countOf(separator);
    if (count > found.count) found = { separator, count };
  }
  return found;
}

function tableStart(lines: readonly string[], index: number, separator: string): TableStart {
  const titles = lines.slice(0, index);
  return { separator, titles, hasQuotes: separator !== '\t' || lines[index]?.includes('"') === true };
}

function namesIn(line: string, separator: string): string[] {
  const names = line.split(separator).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return [...new Set(names.filter((name) => name !== ''))];
}

function unquoted(line: string): string {
  return line.replaceAll(/"[^"]*"/g, '');
}

/** Whether a line is the end of a report: totals, or who made it. */
export function isFooter(cells: readonly string[], width: number): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const [first = ''] = filled;
  if (filled.length === 0 || filled.length > Math.max(2, Math.floor(width / 2))) return false;
  return footerWords.test(filled.join(', ')) || totalWords.test(first);
}

const totalWords = /^(grand |sub-?)?totals?\b[\s:=\d]*(orders?|rows?|records?|items?)?[\s:]*$/i;
const footerWords =
  /^\d*[,\s]*record\(s\) downloaded|^seller id\b|^\W*(generated|exported|printed|downloaded) (on|at|by|from)\b|^\W*end of (file|report|list)|^page \d+( of \d+)?$/i;
