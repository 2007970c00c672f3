import { posix } from 'node:path';
import { type Layer, layers, providerDirectory, serviceDoors } from './layers.ts';
import type { Facts, Import } from './syntax.ts';

/** A broken rule: where, and why it is one. */
export interface Fault {
  path: string;
  line: number;
  reason: string;
}

/** The layer of a path: `src/domain/money.ts` → `domain`. */
function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** `pg` for `pg/lib/x`, `@scope/name` for `@scope/name/part.js`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function isAllowed(allowances: Layer['packages'], name: string, path: string): boolean {
  return allowances.some((each) => each.name === name && (each.files?.includes(path) ?? true));
}

/** Why a file may not import this package or builtin; undefined when it may. */
function outsideReason(path: string, layer: Layer, { specifier, kind }: Import): string | undefined {
  if (specifier.startsWith('node:')) {
    if (layer.builtins === 'all' || kind === 'type' || isAllowed(layer.builtins, specifier, path))
      return undefined;
    return `${specifier} is not for ${path}: ${layer.why}`;
  }
  if (isAllowed(layer.packages, packageOf(specifier), path)) return undefined;
  return `the package ${specifier} is not for ${path}: ${layer.why}`;
}

function isProviderAllowed(path: string, target: string): boolean {
  const isOwnFolder = posix.dirname(path) === posix.dirname(target) && path !== 'src/providers/port.ts';
  return path === providerDirectory || target === 'src/providers/port.ts' || isOwnFolder;
}

/** Why a file may not import this file of ours; undefined when it may. */
function insideReason(path: string, target: string, layer: Layer, kind: Import['kind']): string | undefined {
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === 'providers' && to === 'providers' && !isProviderAllowed(path, target)) {
    return `${path} must not import ${target}: providers know the port, not each other`;
  }
  if (layer.code.includes(to) || (kind === 'type' && layer.types.includes(to))) return undefined;
  if (from === 'cli' && to === 'service') {
    if (serviceDoors.includes(path) && kind !== 'value') return undefined;
    return `${path} must not import the service, which only ${serviceDoors.join(' and ')} load, dynamically: ${layer.why}`;
  }
  if (layer.types.includes(to)) return `${from} may import types of ${to} alone (import type): ${layer.why}`;
  return `${from} must not import ${to}: ${layer.why}`;
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

function importReason(path: string, each: Import): string | undefined {
  const layer = layers[layerOf(path)];
  if (layer === undefined)
    return `${path} is in no layer: the folders of src are ${Object.keys(layers).join(', ')}`;
  if (each.specifier === '') return 'a computed import hides what is loaded: name the module';
  if (!each.specifier.startsWith('.')) return outsideReason(path, layer, each);
  return insideReason(path, resolve(path, each.specifier), layer, each.kind);
}

/** Imports that go against the layers. */
export function importFaults(files: readonly Facts[]): Fault[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap((each) => {
      const reason = importReason(path, each);
      return reason === undefined ? [] : [{ path, line: each.line, reason }];
    }),
  );
}
