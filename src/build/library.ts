import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { libraryApi } from './library-api.ts';

const source = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** The sources with published declarations, each after those that it imports. */
const declared = {
  library: ['client/errors.ts', 'library/calls.ts', 'library/client.ts', 'library/wait-for.ts'],
  'library-webhooks': ['library/webhooks.ts'],
  'library-service': ['library/service.ts'],
};

type Entry = keyof typeof declared;

const entries = ['library', 'library-webhooks', 'library-service'] as const;

/** The types of the client that the declarations of an entry import. */
const taken: Readonly<Partial<Record<Entry, string>>> = {
  'library-webhooks': 'Event',
  'library-service': 'Client, ClockAdvance, ClockMove',
};

/**
 * Writes the files around the built library: declarations without imports of packages, and ES modules that re-export
 * the CommonJS modules, so that both have the same classes.
 */
export function writeLibrary(dist: string): void {
  for (const entry of entries) {
    const names = Object.keys(require(join(dist, `${entry}.cjs`)));
    const lines = names.map((name) => `export const ${name} = library.${name};\n`);
    const declarations = declarationsOf(entry);
    writeFileSync(join(dist, `${entry}.mjs`), `import library from './${entry}.cjs';\n\n${lines.join('')}`);
    writeFileSync(join(dist, `${entry}.d.cts`), declarations);
    writeFileSync(join(dist, `${entry}.d.mts`), `export * from './${entry}.cjs';\n`);
  }
}

function declarationsOf(entry: Entry): string {
  const own = declared[entry].map(declarationOf);
  const names = taken[entry];
  const shared =
    names !== undefined
      ? [`import type { ${names} } from './library.cjs';\n`]
      : [...contractInterfaces.map(({ source, name }) => interfaceIn(source, name)), libraryApi()];
  return [...shared, ...own].join('\n');
}

/** The interfaces of the contract used in the declarations. */
const contractInterfaces = [
  { source: 'contract/errors.ts', name: 'Fault' },
  { source: 'contract/operation.ts', name: 'WireStream' },
  { source: 'contract/operation.ts', name: 'WireResponse' },
];

function interfaceIn(source: string, name: string): string {
  const pattern = new RegExp(`^(/\\*\\*.*\\n)?export interface ${name} \\{[^}]*\\}\\n`, 'm');
  const found = declarationOf(source).match(pattern)?.[0];
  if (found === undefined) throw new Error(`${source} does not declare ${name}`);
  return found;
}

/** The declarations of a source without its imports, which are in the same file. */
function declarationOf(name: string): string {
  const { code } = isolatedDeclarationSync(name, readFileSync(join(source, name), 'utf8'));
  return code.replace(/^import .*;\n/gm, '').replace(/^export \{\};\n/m, '');
}
