import type { Plugin } from 'rolldown';
import { hasOwnCode } from './chunks.ts';
import { lastingNames } from './lasting-names.ts';
import { statementsOf } from './syntax.ts';

/** How a chunk gives one of its names: by a function that is asked each time, lest the name stand for something else later. */
const given =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: true,\s*get: function \(\) \{\s*return ([\w$]+);\s*\}\s*\}\);/g;

/**
 * Gives the names of a chunk as they are: to make a function, and a description of a property, for each of a hundred
 * names takes half a millisecond at every start. Names that may yet stand for something else are given as before.
 */
export function plainExports(): Plugin {
  return {
    name: 'plain-exports',
    renderChunk: (code, chunk) => (hasOwnCode(chunk) ? plain(code) : null),
  };
}

/** The code of a chunk with its lasting names given as they are. */
export function plain(code: string): string {
  if (code.search(given) < 0) return code;
  const lasting = lastingNames(statementsOf(code));
  return code.replace(given, (whole, name, own) => (lasting.has(own) ? `exports.${name} = ${own};` : whole));
}
