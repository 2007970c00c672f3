import type { Plugin } from 'rolldown';

/**
 * Makes the files of the program as the entry loads them: each a script that gives a function, and of ASCII alone. One
 * character past it makes V8 take twice the memory for a file, and longer to read it; as an escape it means the same
 * wherever the program has it: in texts, templates and patterns.
 */
export function loadedByEntry(): Plugin {
  return {
    name: 'loaded-by-entry',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = script(file.code);
    },
  };
}

function script(code: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${ascii(code)}\n})`;
}

function ascii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
