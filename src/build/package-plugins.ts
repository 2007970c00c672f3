/**
 * The plugins of the bundler that leave out or replace parts of packages, or read texts: `conf` imports a JSON Schema
 * validator, for example, and is given `undefined` (`replaced`), as the program lets it read only. A build fails that did
 * not meet one of these parts, as a new version of a package may have moved it. That the program works without them is
 * proved on the built one: `test/program` (proxies, keychain, MCP, first use), `test/build/package-plugins.test.ts`
 * (web-push).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin, PluginContext } from 'rolldown';

/** Leaves out what packages import and the program does not need, or not at its start. */
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

const displayWidthFile = join(import.meta.dirname, '../cli/kit/output/terminal-lines.ts');

/** The functions that these packages import by name: the bundler reports a name that a lazy module does not export. */
const functions = ['createWriteStream', 'isDeepStrictEqual', 'once', 'promisify', 'stripVTControlCharacters'];

const unusedByConf = 'export default undefined; export const Ajv2020 = undefined;';
const noForms = `throw new Error('Forms are not sent here');`;

/** The code that replaces what packages import, by package and by the import as it is written there. */
const replaced: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  commander: usedLate('child_process', 'fs', 'path', 'process', 'util'),
  atomically: usedLate('events', 'fs', 'path', 'stream'),
  'stubborn-fs': usedLate('fs', 'process', 'util'),
  'when-exit': usedLate('process'),
  // Only what reading needs: the validator takes milliseconds to load, and the writer listens to 18 signals.
  conf: {
    ...usedLate('crypto', 'fs', 'path', 'process', 'util'),
    'ajv/dist/2020.js': unusedByConf,
    'ajv-formats': unusedByConf,
    'debounce-fn': unusedByConf,
    'env-paths': unusedByConf,
    semver: unusedByConf,
    atomically: `export const writeFileSync = (...given) => require('atomically').writeFileSync(...given);`,
  },
  // Half of it, and milliseconds at every start: our requests never use HTTP/2, forms, or most of these builtins.
  undici: {
    './client-h2.js': `module.exports = () => { throw new Error('HTTP/2 is not spoken here'); };`,
    '../web/fetch/body.js': noForms,
    '../web/fetch/formdata': noForms,
    '../web/webidl': noForms,
    'node:http': 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
    'node:assert': `module.exports = (value, message) => {
      if (!value) process.getBuiltinModule('node:assert')(value, message);
    };`,
  },
  // A third of it: its own HTTP requests are not used, and of ASN.1 it needs one form, the private key of RFC 5915 on
  // the curve prime256v1.
  'web-push': {
    'https-proxy-agent': `throw new Error('No proxy is used here');`,
    'asn1.js': `exports.define = () => ({ encode: ({ privateKey }, form, { label }) => {
      const [head, curve] = ['30310201010420', 'a00a06082a8648ce3d030107'].map((each) => Buffer.from(each, 'hex'));
      const text = Buffer.concat([head, privateKey, curve]).toString('base64').replace(/.{64}/g, '$&\\n');
      return '-----BEGIN ' + label + '-----\\n' + text + '\\n-----END ' + label + '-----';
    } });`,
  },
  // Text is measured as in the rest of the program: the package's own way compiles a pattern of all emoji.
  'cli-table3': {
    'string-width': `module.exports = require(${JSON.stringify(displayWidthFile)}).displayWidth;`,
  },
  // A third of it is a JSON Schema validator for forms that a server asks a user to fill in. Our tools check their input
  // with the package's other validator.
  '@modelcontextprotocol/server': {
    '@modelcontextprotocol/server/_shims': `
      export { default as process } from 'node:process';
      export class DefaultJsonSchemaValidator {
        getValidator() { throw new Error('Forms are not used here'); }
      }
    `,
  },
};

/** Packages share a module if their code for an import is the same. */
const replacements = [...new Set(Object.values(replaced).flatMap((imports) => Object.values(imports)))];

const prefix = '\0replaced:';

/**
 * Replaces builtins that a package imports at its top and uses late or never by modules that load them at their first
 * use. Loading them, or only copying their many properties into a module, costs milliseconds at every start.
 */
function usedLate(...builtins: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(builtins.map((name) => [`node:${name}`, lazyModule(`node:${name}`)]));
}

function lazyModule(builtin: string): string {
  const module = `process.getBuiltinModule('${builtin}')`;
  return `
    export default new Proxy({}, { get: (_, name) => ${module}[name] });
    ${functions.map((name) => `export const ${name} = (...given) => ${module}.${name}(...given);`).join('\n')}
    /* atomically asks whether data is a stream: the program gives it texts only. */
    export class Readable {}
  `;
}

/** A plugin that changes the code of files; a file without what it changes is left as it is. */
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

/** Throws for what a build that has not failed did not meet. */
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
const jqProgram = /base64,([A-Za-z0-9+/=]{1000,})/;

/**
 * Compresses the WebAssembly of jq, the largest file of the package. `src/cli/kit/output/jq.ts` decompresses it
 * when it runs jq.
 */
export function compressedJq(): Plugin {
  return codeChange('compressed-jq', jqFile, (code) =>
    code.replace(jqProgram, (_, text: string) => {
      const wasm = brotliCompressSync(Buffer.from(text, 'base64'));
      return `base64-brotli,${wasm.toString('base64')}`;
    }),
  );
}

/** A file that is imported with `?raw` is its text. */
export const rawTexts: Plugin = {
  name: 'raw-texts',
  load(id) {
    if (!id.endsWith('?raw')) return null;
    const text = readFileSync(id.slice(0, -'?raw'.length), 'utf8');
    return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
  },
};
