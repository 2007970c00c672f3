// Makes sure that node_modules has what package-lock.json says, then runs the given program, if any, on the project's
// Node. The program is made of `dependencies`; `--dev` adds what tests and checks it.
// It runs on any Node from 18 on before anything is installed, so it has no dependencies and no types.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const windows = process.platform === 'win32';

/** Prints a line to stderr. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

const [first, ...others] = process.argv.slice(2);
const withTools = first === '--dev';
const program = withTools || first === undefined ? others : [first, ...others];

/** The packages of a lock file by their location in node_modules; empty if there is no such file. */
function packagesOf(file) {
  const path = join(root, file);
  if (!existsSync(path)) return {};
  const { '': _project, ...packages } = JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  return packages;
}

/** The packages that are needed now. */
function wantedPackages() {
  const all = Object.entries(packagesOf('package-lock.json'));
  return Object.fromEntries(all.filter(([, { dev, devOptional }]) => withTools || !(dev || devOptional)));
}

/** Whether every package of the lock file is installed in its version; packages for other platforms may be absent. */
function matches(wanted, installed) {
  const missing = ([place, { version, optional, peer }]) => {
    const found = installed[place];
    return found === undefined ? !(optional || peer) : found.version !== version;
  };
  return Object.keys(installed).length > 0 && !Object.entries(wanted).some(missing);
}

/** Runs the npm that started this script, or the first one on the path. */
function npm(...args) {
  const script = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  if (script?.endsWith('.js')) return spawnSync(process.execPath, [script, ...args], options).status;
  return spawnSync('npm', args, { ...options, shell: windows }).status;
}

/** Installs if needed, whatever NODE_ENV says. */
function install() {
  if (matches(wantedPackages(), packagesOf('node_modules/.package-lock.json'))) return;
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm would empty the linked folder, which others may use.
    say('node_modules is a link to packages of other versions: remove the link, and start again.');
    process.exit(1);
  }
  say('Installing dependencies (once, about a minute)...');
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier'];
  const tools = withTools ? '--include=dev' : '--omit=dev';
  const status = npm('ci', tools, '--include=optional', '--engine-strict=false', ...quiet);
  if (status === 0) return;
  say('Installing dependencies failed: npm says why above.');
  process.exit(1);
}

/** The Node that npm installed for this project, or the running one if it is new enough. */
function projectNode() {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(root, 'src/build/node/package.json'), 'utf8'),
  );
  for (const name of Object.keys(optionalDependencies)) {
    const own = join(root, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node');
    if (existsSync(own) && spawnSync(own, ['--version']).status === 0) return own;
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  if ((major === 24 && minor >= 15) || major >= 26) return process.execPath;
  say('No package of Node runs on this machine: use Node 24.15, or 26 and later.');
  return process.exit(1);
}

install();
const node = projectNode();
if (program.length > 0) {
  const { status } = spawnSync(node, program, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
