import type { Plugin } from 'rolldown';

/**
 * Packages that import a costly builtin at their top and hardly ever use it: commander starts a child process
 * only for commands that are programs of their own, and loading that module costs milliseconds at every start.
 */
const rarelyUsed = [{ importer: /[\\/]node_modules[\\/]commander[\\/]/, builtin: 'node:child_process' }];

const prefix = '\0lazy:';

/** A module whose default export loads the builtin at the first use of a property. */
function source(builtin: string): string {
  return `export default new Proxy({}, { get: (_, name) => process.getBuiltinModule('${builtin}')[name] });`;
}

/** Puts off the loading of builtins that a package imports but hardly uses. */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    resolveId(id, importer) {
      const lazy = rarelyUsed.some((rule) => rule.builtin === id && rule.importer.test(importer ?? ''));
      return lazy ? prefix + id : null;
    },
    load(id) {
      return id.startsWith(prefix) ? source(id.slice(prefix.length)) : null;
    },
  };
}

/**
 * Leaves HTTP/2 out of undici: our client speaks HTTP/1.1 only, and the module that speaks the other loads the
 * system's whole TLS at every start.
 */
export function withoutHttp2(): Plugin {
  return {
    name: 'without-http2',
    load: (id) =>
      /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/.test(id)
        ? `module.exports = () => { throw new Error('HTTP/2 is not spoken here'); };`
        : null,
  };
}
