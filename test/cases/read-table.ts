import { readFileSync } from 'node:fs';

/**
 * The rows of a table of cases beside this file; `read` takes the cells of a row by the names of their columns. In cells,
 * line ends, tabs and characters that cannot be seen are written as \n, \t and \u200b.
 */
export function readTable<Row>(name: string, read: (cell: (column: string) => string) => Row): Row[] {
  const [head = '', ...lines] = readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const names = head.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t').map(unescaped);
    return read((column) => cells[names.indexOf(column)] ?? '');
  });
}

function unescaped(cell: string): string {
  return cell
    .replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('\\\\', '\\');
}
