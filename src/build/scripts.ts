import type { OutputChunk, Plugin } from 'rolldown';

/**
 * What a look-up at the embedded service loads lies in the file of the program itself: each file more costs a fraction of
 * a millisecond. Elsewhere the service in it is never run, and costs next to nothing. Being over 128 KiB, the text of it
 * is one of V8's large objects, and leaves the young memory to what a look-up makes.
 */
const together = ['rolldown-runtime', 'lookups', 'deliveries', 'embedded'];

/**
 * Makes the files of the program as the entry loads them: each a script that gives a function, that of the program one
 * that gives several by their names. All are of ASCII alone: one character past it makes V8 take twice the memory for
 * a file, and longer to read it; as an escape it means the same wherever the program has it: in texts, templates and
 * patterns.
 */
export function loadedByEntry(): Plugin {
  return {
    name: 'loaded-by-entry',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const parts = chunks.filter(({ name }) => together.includes(name));
      for (const file of chunks) {
        if (parts.includes(file)) delete bundle[file.fileName];
        else file.code = file.isEntry && parts.length > 0 ? packed([file, ...parts]) : script(file);
      }
    },
  };
}

function packed(chunks: readonly OutputChunk[]): string {
  const functions = chunks.map(({ fileName, code }) => `${JSON.stringify(fileName)}: ${wrapped(code)}`);
  return `({${functions.join(',')}})`;
}

function script({ code }: OutputChunk): string {
  return `(${wrapped(code)})`;
}

function wrapped(code: string): string {
  return `function (exports, require, module, __filename, __dirname) {${ascii(code)}\n}`;
}

function ascii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
