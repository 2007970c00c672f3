import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaVersion } from '../../src/storage/storage.ts';
import { buildIn, copySources } from './installation.ts';

/** A migration with each kind of change that the version before must be able to work with. */
const migration = `
function nextVersion({ text, integer }: ColumnTypes): string[] {
  return [
    \`alter table orders add column next_text \${text}\`,
    \`alter table deliveries add column next_count \${integer} not null default 0\`,
    \`alter table events add column next_text \${text}\`,
    \`alter table tasks add column next_count \${integer} not null default 0\`,
    'create index orders_next on orders (next_text) where next_text is not null',
    \`create table next_records (id \${text} primary key, order_id \${text} not null)\`,
  ];
}
`;

export const nextSchemaVersion = schemaVersion + 1;

/** After the last migration. */
const endOfList = '\n];\n';

/** Builds the next version in a folder: this one with one more migration, and another driver's page. Returns the path of its program. */
export function buildNextVersion(folder: string): string {
  copySources(folder);
  const storage = join(folder, 'src', 'storage');
  replaceIn(join(storage, 'migrations.ts'), [[endOfList, `\n  nextVersion,${endOfList}${migration}`]]);
  // With another style the pages of phones load themselves again.
  const style = join(folder, 'src', 'service', 'driver-page', 'browser', 'page.css');
  replaceIn(style, [['line-height: 1.45;', 'line-height: 1.46;']]);
  replaceIn(join(storage, 'storage.ts'), [
    [`schemaVersion = ${schemaVersion};`, `schemaVersion = ${nextSchemaVersion};`],
  ]);
  buildIn(folder);
  return join(folder, 'bin', 'waybill.cjs');
}

function replaceIn(file: string, changes: readonly (readonly [string, string])[]): void {
  let text = readFileSync(file, 'utf8');
  for (const [before, after] of changes) {
    if (text.split(before).length !== 2) throw new Error(`${file} does not have one ${before}`);
    text = text.replace(before, after);
  }
  writeFileSync(file, text);
}
