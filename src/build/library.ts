import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';

const source = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** The sources whose declarations are published, each behind those that it needs. */
const declared = {
  library: [
    'client/errors.ts',
    'library/calls.ts',
    'library/api.ts',
    'library/client.ts',
    'library/wait-for.ts',
    'library/webhooks.ts',
  ],
  'library-service': ['library/service.ts'],
};

type Entry = keyof typeof declared;

/**
 * Writes what surrounds the built library: declarations without any import of a package, and ES modules that give what
 * the CommonJS modules export, so that both have the same classes.
 */
export function writeLibrary(dist: string): void {
  for (const entry of ['library', 'library-service'] as const) {
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
  const isService = entry === 'library-service';
  const shared = isService
    ? "import type { Client, ClockAdvance, ClockMove } from './library.cjs';\n"
    : declarationOf('contract/errors.ts').match(/^(\/\*\*.*\n)?export interface Fault \{[^}]*\}\n/m)?.[0];
  if (shared === undefined) throw new Error('contract/errors.ts does not declare Fault');
  return [shared, ...own].join('\n');
}

/** The declarations of a source, whose imports stand in the same file. */
function declarationOf(name: string): string {
  const { code } = isolatedDeclarationSync(name, readFileSync(join(source, name), 'utf8'));
  return code.replace(/^import .*;\n/gm, '').replace(/^export \{\};\n/m, '');
}
