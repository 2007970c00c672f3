import type { Plugin } from 'rolldown';

/**
 * Builtins that packages import at their top and use late or never. Loading them, or only copying their many
 * properties into a module, costs milliseconds at every start.
 */
const usedLate: Readonly<Record<string, readonly string[]>> = {
  commander: ['child_process', 'fs', 'path', 'process', 'util'],
  conf: ['crypto', 'fs', 'path', 'process', 'util'],
  atomically: ['events', 'fs', 'path', 'stream'],
  'stubborn-fs': ['fs', 'process', 'util'],
  'when-exit': ['process'],
};

/** The functions, other than methods of the default export, that those packages import from builtins. */
const functions = ['createWriteStream', 'isDeepStrictEqual', 'once', 'promisify', 'stripVTControlCharacters'];

const prefix = '\0lazy:';

/** A module whose exports load the builtin at their first use. */
function source(builtin: string): string {
  const module = `process.getBuiltinModule('${builtin}')`;
  return `
    export default new Proxy({}, { get: (_, name) => ${module}[name] });
    ${functions.map((name) => `export const ${name} = (...given) => ${module}.${name}(...given);`).join('\n')}
    export class Readable {}
  `;
}

/** Loads builtins that a package imports but uses late or never at their first use. */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    resolveId: (id, importer = '') => {
      const names = usedLate[packageOf(importer)] ?? [];
      return names.some((name) => id === `node:${name}`) ? prefix + id : null;
    },
    load: (id) => (id.startsWith(prefix) ? source(id.slice(prefix.length)) : null),
  };
}

function packageOf(file: string): string {
  return /[\\/]node_modules[\\/]([\w-]+)[\\/]/.exec(file)?.[1] ?? '';
}

/** The imports of conf that the program never uses: schemas, migrations, watching, and its default folder. */
const unusedByConf = ['ajv/dist/2020.js', 'ajv-formats', 'debounce-fn', 'env-paths', 'semver'];

const unused = '\0unused';
const writer = '\0lazy-writer';

/**
 * Reduces conf to what reading needs: the validator takes milliseconds to load, and the writer listens to 18 signals.
 */
export function readingConf(): Plugin {
  return {
    name: 'reading-conf',
    resolveId(id, importer = '') {
      if (packageOf(importer) !== 'conf') return null;
      if (unusedByConf.includes(id)) return unused;
      return id === 'atomically' ? writer : null;
    },
    load(id) {
      if (id === unused) return 'export default undefined; export const Ajv2020 = undefined;';
      if (id === writer)
        return `export const writeFileSync = (...given) => require('atomically').writeFileSync(...given);`;
      return null;
    },
  };
}

const noForms = `throw new Error('Forms are not sent here');`;

/** The imports of undici that our requests never use: HTTP/2, forms, most of `node:http` and `node:assert`. */
const unusedByUndici: Readonly<Record<string, string>> = {
  './client-h2.js': `module.exports = () => { throw new Error('HTTP/2 is not spoken here'); };`,
  '../web/fetch/body.js': noForms,
  '../web/fetch/formdata': noForms,
  '../web/webidl': noForms,
  'node:http': 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
  'node:assert': `module.exports = (value, message) => {
    if (!value) process.getBuiltinModule('node:assert')(value, message);
  };`,
};

const unusedPrefix = '\0unused-by-undici:';

/** Reduces undici to what our requests need: half of it, and milliseconds at every start. */
export function smallUndici(): Plugin {
  return {
    name: 'small-undici',
    resolveId: (id, importer = '') =>
      packageOf(importer) === 'undici' && id in unusedByUndici ? unusedPrefix + id : null,
    load: (id) => (id.startsWith(unusedPrefix) ? unusedByUndici[id.slice(unusedPrefix.length)] : null),
    transform: (code, id) =>
      /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h1\.js$/.test(id) ? oneParser(code) : null,
  };
}

/** Compiles the parser that a client uses, not both. */
function oneParser(code: string): { code: string; map: null } {
  const condition = 'if (!llhttpInstance)';
  if (!code.includes(condition)) throw new Error(`undici has no longer: ${condition}`);
  return { code: code.replace(condition, 'if (!llhttpInstance && !client[kUseMilo])'), map: null };
}

/**
 * Replacements of imports of web-push: a proxy agent, because its own HTTP requests are not used, and a library for
 * ASN.1, of which it needs one form, the private key of RFC 5915 on the curve prime256v1.
 */
const replacedInWebPush: Readonly<Record<string, string>> = {
  'https-proxy-agent': `throw new Error('No proxy is used here');`,
  'asn1.js': `exports.define = () => ({ encode: ({ privateKey }, form, { label }) => {
    const [head, curve] = ['30310201010420', 'a00a06082a8648ce3d030107'].map((each) => Buffer.from(each, 'hex'));
    const text = Buffer.concat([head, privateKey, curve]).toString('base64').replace(/.{64}/g, '$&\\n');
    return '-----BEGIN ' + label + '-----\\n' + text + '\\n-----END ' + label + '-----';
  } });`,
};

const webPushPrefix = '\0replaced-in-web-push:';

/** Reduces web-push to what encrypting a message needs: a third of it. */
export function smallWebPush(): Plugin {
  return {
    name: 'small-web-push',
    resolveId: (id, importer = '') =>
      packageOf(importer) === 'web-push' && id in replacedInWebPush ? webPushPrefix + id : null,
    load: (id) => (id.startsWith(webPushPrefix) ? replacedInWebPush[id.slice(webPushPrefix.length)] : null),
  };
}

const tableWidths = '\0table-widths';

/** Has cli-table3 measure text as the rest of the program does: its own way compiles a pattern of all emoji. */
export function tableWidth(file: string): Plugin {
  return {
    name: 'table-width',
    resolveId: (id, importer = '') =>
      id === 'string-width' && packageOf(importer) === 'cli-table3' ? tableWidths : null,
    load: (id) =>
      id === tableWidths ? `module.exports = require(${JSON.stringify(file)}).displayWidth;` : null,
  };
}

const parser = /[\\/]undici[\\/]lib[\\/](?:llhttp|milo)[\\/]([\w-]+)\.js$/;
const compiled = /'(AGFzbQ[A-Za-z0-9+/=]+)'/;

/** Writes undici's WebAssembly parsers to separate files: they are half of its code, and only one of four is loaded. */
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

const noValidator = '\0mcp-shims';

/**
 * Leaves the JSON Schema validator out of the protocol's package, a third of its size: it checks forms that a server
 * asks a user to fill in, and our tools check their input with the package's other validator.
 */
export function withoutValidator(): Plugin {
  return {
    name: 'without-validator',
    resolveId: (id) => (id === '@modelcontextprotocol/server/_shims' ? noValidator : null),
    load: (id) =>
      id === noValidator
        ? `export { default as process } from 'node:process';
           export class DefaultJsonSchemaValidator {
             getValidator() { throw new Error('Forms are not used here'); }
           }`
        : null,
  };
}
