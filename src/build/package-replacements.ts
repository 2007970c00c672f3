/**
 * The code that replaces imports of packages in the built program, which `package-plugins.ts` puts in place: the program
 * never uses these parts, or not at its start, and loading them costs milliseconds of every run.
 */
import { join } from 'node:path';

const displayWidthFile = join(import.meta.dirname, '../cli/kit/output/terminal-lines.ts');

/** The functions of a lazy builtin: those that these packages import by name. The bundler reports a missing one. */
const functions = ['createWriteStream', 'isDeepStrictEqual', 'once', 'promisify', 'stripVTControlCharacters'];

const unusedByConf = 'export default undefined; export const Ajv2020 = undefined;';

const noForms = `throw new Error('Forms are not sent here');`;

/** The code by package, and by the import as the package writes it. */
export const replaced: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  commander: lazyBuiltins('child_process', 'fs', 'path', 'process', 'util'),
  atomically: lazyBuiltins('events', 'fs', 'path', 'stream'),
  'stubborn-fs': lazyBuiltins('fs', 'process', 'util'),
  'when-exit': lazyBuiltins('process'),
  // Reading settings needs neither the validator, which takes milliseconds to load, nor the writer, which listens to 18
  // signals.
  conf: {
    ...lazyBuiltins('crypto', 'fs', 'path', 'process', 'util'),
    'ajv/dist/2020.js': unusedByConf,
    'ajv-formats': unusedByConf,
    'debounce-fn': unusedByConf,
    'env-paths': unusedByConf,
    semver: unusedByConf,
    atomically: `export const writeFileSync = (...given) => require('atomically').writeFileSync(...given);`,
  },
  // These are half of the package: our requests never use HTTP/2, forms, or most of these builtins.
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
  // These are a third of the package: its own HTTP requests are not used, and of ASN.1 it needs one form, the private key
  // of RFC 5915 on the curve prime256v1.
  'web-push': {
    'https-proxy-agent': `throw new Error('No proxy is used here');`,
    'asn1.js': `exports.define = () => ({ encode: ({ privateKey }, form, { label }) => {
      const [head, curve] = ['30310201010420', 'a00a06082a8648ce3d030107'].map((each) => Buffer.from(each, 'hex'));
      const text = Buffer.concat([head, privateKey, curve]).toString('base64').replace(/.{64}/g, '$&\\n');
      return '-----BEGIN ' + label + '-----\\n' + text + '\\n-----END ' + label + '-----';
    } });`,
  },
  // Tables measure text as the rest of the program does: the package's own way compiles a pattern of all emoji.
  'cli-table3': {
    'string-width': `module.exports = require(${JSON.stringify(displayWidthFile)}).displayWidth;`,
  },
  // A third of the package is a JSON Schema validator for forms that a server asks a user to fill in. Our tools check
  // their input with the package's other validator.
  '@modelcontextprotocol/server': {
    '@modelcontextprotocol/server/_shims': `
      export { default as process } from 'node:process';
      export class DefaultJsonSchemaValidator {
        getValidator() { throw new Error('Forms are not used here'); }
      }
    `,
  },
};

/**
 * Modules that load a builtin at its first use, for builtins that a package imports at its top and uses late or never. Even
 * copying the many properties of a builtin into a module costs time at every start.
 */
function lazyBuiltins(...builtins: readonly string[]): Readonly<Record<string, string>> {
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
