import type { Plugin } from 'rolldown';

/**
 * Builtins that commander imports at its top and only uses for commands that are programs of their own. Loading
 * them, or only copying their many properties into a module, costs milliseconds at every start.
 */
const rarelyUsed = ['node:child_process', 'node:fs', 'node:path', 'node:process', 'node:util'];

const commander = /[\\/]node_modules[\\/]commander[\\/]/;
const prefix = '\0lazy:';

/** A module whose exports load the builtin at their first use: the default one, and the one named that commander takes. */
function source(builtin: string): string {
  const module = `process.getBuiltinModule('${builtin}')`;
  return `
    export default new Proxy({}, { get: (_, name) => ${module}[name] });
    export const stripVTControlCharacters = (text) => ${module}.stripVTControlCharacters(text);
  `;
}

/** Loads builtins that a package imports but rarely uses at their first use. */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    resolveId: (id, importer = '') =>
      rarelyUsed.includes(id) && commander.test(importer) ? prefix + id : null,
    load: (id) => (id.startsWith(prefix) ? source(id.slice(prefix.length)) : null),
  };
}

/** Leaves HTTP/2 out of undici: our client uses HTTP/1.1 alone, and the HTTP/2 module loads all of TLS at every start. */
export function withoutHttp2(): Plugin {
  return {
    name: 'without-http2',
    load: (id) =>
      /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/.test(id)
        ? `module.exports = () => { throw new Error('HTTP/2 is not spoken here'); };`
        : null,
  };
}

const parser = /[\\/]undici[\\/]lib[\\/](?:llhttp|milo)[\\/]([\w-]+)\.js$/;
const compiled = /'(AGFzbQ[A-Za-z0-9+/=]+)'/;

/** Writes the WebAssembly parsers of undici to files of their own: they are half of its code, and it loads one of four. */
export function parserFiles(): Plugin {
  return {
    name: 'parser-files',
    transform(code, id) {
      const [, name] = parser.exec(id) ?? [];
      const [literal, text] = compiled.exec(code) ?? [];
      if (name === undefined || literal === undefined || text === undefined) return null;
      const fileName = `${name}.wasm`;
      this.emitFile({ type: 'asset', fileName, source: Buffer.from(text, 'base64') });
      const read = `require('node:fs').readFileSync(__dirname + '/${fileName}', 'base64')`;
      return { code: code.replace(literal, read), map: null };
    },
  };
}
