/**
 * Plugins of the bundler that replace or leave out parts of packages, or read texts. For example, `conf` imports a JSON
 * Schema validator, and gets `undefined` instead (`package-replacements.ts`), because the program only reads with `conf`.
 * The build fails if it no longer finds one of these parts, because a new version of a package may have moved it. Tests
 * prove that the built program works without the parts: `test/program` (proxies, keychain, MCP, first use) and
 * `test/build/package-plugins.test.ts` (web-push).
 */
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin, PluginContext } from 'rolldown';
import { replaced } from './package-replacements.ts';

/** Packages share a module if their code for an import is the same. */
const replacements = [...new Set(Object.values(replaced).flatMap((imports) => Object.values(imports)))];

/** The start of the id of a module that replaces an import; its index in `replacements` follows. */
const prefix = '\0replaced:';

/** Replaces the imports of packages that the program does not need, or does not need at its start. */
export function replacedImports(packages: readonly string[] = Object.keys(replaced)): Plugin {
  const unmet = new Set(
    packages.flatMap((name) => Object.keys(replaced[name] ?? {}).map((id) => `${name}: ${id}`)),
  );
  return {
    name: 'replaced-imports',
    resolveId: (id, importer = '') => {
      const name = packageOf(importer);
      const code = replaced[name]?.[id];
      if (code === undefined) return null;
      unmet.delete(`${name}: ${id}`);
      return prefix + replacements.indexOf(code);
    },
    load: (id) => (id.startsWith(prefix) ? replacements[Number(id.slice(prefix.length))] : null),
    buildEnd: (error) => failIfUnmet(error, [...unmet]),
  };
}

/** `undici` of `/app/node_modules/undici/lib/api.js`; empty outside of packages. */
function packageOf(file: string): string {
  const [, name = ''] = /[\\/]node_modules[\\/]((?:@[\w-]+[\\/])?[\w.-]+)[\\/]/.exec(file) ?? [];
  return name.replace('\\', '/');
}

/** A plugin that changes the code of the files that the pattern matches. The build fails if no file is changed. */
function codeChange(
  name: string,
  files: RegExp,
  change: (code: string, file: RegExpExecArray, context: PluginContext) => string,
): Plugin {
  let isMet = false;
  return {
    name,
    transform(code, id) {
      const file = files.exec(id);
      const changed = file === null ? code : change(code, file, this);
      if (changed === code) return null;
      isMet = true;
      return { code: changed, map: null };
    },
    buildEnd: (error) => failIfUnmet(error, isMet ? [] : [name]),
  };
}

/** Throws if a build that has otherwise succeeded did not meet some parts. */
function failIfUnmet(error: Error | undefined, unmet: readonly string[]): void {
  if (error === undefined && unmet.length > 0)
    throw new Error(`No longer met in a package: ${unmet.join(', ')}`);
}

const undiciClient = /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h1\.js$/;

/** Lets undici compile the parser that a client uses, not both. */
export function oneParser(): Plugin {
  return codeChange('one-parser', undiciClient, (code) =>
    code.replace('if (!llhttpInstance)', 'if (!llhttpInstance && !client[kUseMilo])'),
  );
}

const undiciParser = /[\\/]undici[\\/]lib[\\/](?:llhttp|milo)[\\/]([\w-]+)\.js$/;
/** WebAssembly begins with the bytes `\0asm`, `AGFzbQ` in base64. */
const wasmText = /'(AGFzbQ[A-Za-z0-9+/=]+)'/;

/** Writes undici's WebAssembly parsers to separate files: they are half of its code, and only one of four is loaded. */
export function parserFiles(): Plugin {
  return codeChange('parser-files', undiciParser, (code, [, name = ''], context) =>
    code.replace(wasmText, (_, text: string) => {
      const fileName = `${name}.wasm`;
      context.emitFile({ type: 'asset', fileName, source: Buffer.from(text, 'base64') });
      return `require('node:fs').readFileSync(__dirname + '/${fileName}', 'base64')`;
    }),
  );
}

const jqFile = /[\\/]jq-wasm[\\/]dist[\\/]build[\\/]jq\.js$/;
const jqWasm = /base64,([A-Za-z0-9+/=]{1000,})/;

/** Compresses the WebAssembly of jq, the largest file of the package; `src/cli/kit/output/jq.ts` decompresses it. */
export function compressedJq(): Plugin {
  return codeChange('compressed-jq', jqFile, (code) =>
    code.replace(jqWasm, (_, text: string) => {
      const wasm = brotliCompressSync(Buffer.from(text, 'base64'));
      return `base64-brotli,${wasm.toString('base64')}`;
    }),
  );
}

/** Imports a file as its text if `?raw` is at the end of the path. */
export const rawTexts: Plugin = {
  name: 'raw-texts',
  load(id) {
    if (!id.endsWith('?raw')) return null;
    const text = readFileSync(id.slice(0, -'?raw'.length), 'utf8');
    return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
  },
};
