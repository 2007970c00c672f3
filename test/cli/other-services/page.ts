import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What became of a line. */
export type Result = 'works' | 'in part' | 'refused' | 'unknown' | 'not found' | 'timeout';

const meanings: Readonly<Record<Result, string>> = {
  works: 'The command does what it says. The exit code is that of the outcome.',
  'in part': 'The command does what it can, and says on stderr what the service left out or ignored.',
  refused: 'The service does not have the operation. Nothing was changed, and the exit code is 6.',
  unknown: 'The response was lost. Nothing is sent again; the error says how to look. The exit code is 7.',
  'not found': 'The service says that there is no such record. The exit code is 5.',
  timeout: 'The command waited for something that the service did not show in time. The exit code is 8.',
};

/** The page of the guide. What its first part says is written by hand. */
export const page = join(import.meta.dirname, '../../../src/guide/compatibility.md');

/** The page with what became of each command at each kind of service. */
export function pageOf(results: ReadonlyMap<string, ReadonlyMap<string, Result>>): string {
  const columns = [...results.keys()];
  const [first] = results.values();
  const rows = [...(first?.keys() ?? [])]
    .sort()
    .map((name) => [`\`${name}\``, ...columns.map((column) => results.get(column)?.get(name) ?? '')]);
  const used = new Set([...results.values()].flatMap((each) => [...each.values()]));
  const words = Object.entries(meanings).filter(([word]) => [...used].some((each) => each === word));
  const [intro] = readFileSync(page, 'utf8').split('## Results\n');
  return [
    intro,
    '## Results\n\nEach command was run against eleven services. Those with few fields leave out what they may. The last',
    '\nfour answer a request that changes something in a way that cannot be read, or lose the response.\n\n',
    markdownTable(['Result', 'Meaning'], words),
    '\n',
    markdownTable(['Command', ...columns], rows),
  ].join('');
}

/** A table in Markdown. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
