/** Writes the completion scripts in `completions` from the command tree. Run: `node src/build/completions.ts` */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptNames, scriptOf, shells } from '../cli/completion/scripts.ts';
import { tree } from '../cli/tree.ts';

for (const shell of shells) {
  writeFileSync(
    join(import.meta.dirname, '..', '..', 'completions', scriptNames[shell]),
    scriptOf(shell, tree),
  );
}
