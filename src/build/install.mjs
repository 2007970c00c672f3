// Installs the packages of package-lock.json if node_modules differs from it, then runs the given program, if any, on the
// project's Node: `node src/build/install.mjs [--dev] [PROGRAM ARGUMENTS...]`. `--dev` adds the packages for tests and checks.
// This script runs on any Node from 18 on before anything is installed, so it has no dependencies and no types.
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
const withDevPackages = first === '--dev';
const program = withDevPackages || first === undefined ? others : [first, ...others];

/** The packages of a lock file by their location in node_modules; empty if there is no such file. */
function packagesOf(file) {
  const path = join(root, file);
  if (!existsSync(path)) return {};
  const { '': _project, ...packages } = JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  return packages;
}

/** The packages of the lock file that are needed now. */
function neededPackages() {
  const all = Object.entries(packagesOf('package-lock.json'));
  return Object.fromEntries(
    all.filter(([, { dev, devOptional }]) => withDevPackages || !(dev || devOptional)),
  );
}

/** Whether every needed package is installed in its version; packages for other platforms may be absent. */
function areInstalled(needed, installed) {
  const isMissing = ([location, { version, optional, peer }]) => {
    const present = installed[location];
    return present === undefined ? !(optional || peer) : present.version !== version;
  };
  return Object.keys(installed).length > 0 && !Object.entries(needed).some(isMissing);
}

/** Runs the npm that started this script, or the first one on the path. */
function npm(...args) {
  const script = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  if (script?.endsWith('.js')) return spawnSync(process.execPath, [script, ...args], options).status;
  return spawnSync('npm', args, { ...options, shell: windows }).status;
}

/** Installs the packages if some are missing. `--omit` and `--include` override NODE_ENV. */
function install() {
  if (areInstalled(neededPackages(), packagesOf('node_modules/.package-lock.json'))) return;
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm would empty the linked folder, which others may use.
    say('node_modules is a link to packages of other versions: remove the link, and start again.');
    process.exit(1);
  }
  say('Installing dependencies (once, about a minute)...');
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier'];
  const devPackages = withDevPackages ? '--include=dev' : '--omit=dev';
  const status = npm('ci', devPackages, '--include=optional', '--engine-strict=false', ...quiet);
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
    const node = join(root, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node');
    if (existsSync(node) && spawnSync(node, ['--version']).status === 0) return node;
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
