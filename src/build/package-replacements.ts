/**
 * The code that stands in for parts of packages in the built program, by package and by the import as it is written there
 * (`replaced`). `package-plugins.ts` puts it in its place.
 */
import { join } from 'node:path';

const displayWidthFile = join(import.meta.dirname, '../cli/kit/output/terminal-lines.ts');

/** The functions that these packages import by name: the bundler reports a name that a lazy module does not export. */
const functions = ['createWriteStream', 'isDeepStrictEqual', 'once', 'promisify', 'stripVTControlCharacters'];

const unusedByConf = 'export default undefined; export const Ajv2020 = undefined;';

const noForms = `throw new Error('Forms are not sent here');`;

/** The code that replaces what packages import, by package and by the import as it is written there. */
export const replaced: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
