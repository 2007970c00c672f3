/** The software bill of materials of the built program (CycloneDX). */
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Manifest, manifestIn, type NativePart } from './notices.ts';

/** The entries of package-lock.json, by folder relative to it. */
interface Lock {
  packages: Readonly<Record<string, LockedPackage | undefined>>;
}

interface LockedPackage {
  version?: string;
  integrity?: string;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * The software bill of materials of the packages in these folders and of other parts, sorted by name. Throws if a package
 * is not in the lock file.
 */
export function sbomOf(root: string, folders: Iterable<string>, parts: readonly NativePart[] = []): string {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const listed = [...folders];
  const packages = listed.map((folder) => {
    const integrity = lock.packages[relative(root, folder).replaceAll('\\', '/')]?.integrity;
    if (integrity === undefined) throw new Error(`package-lock.json has no integrity of ${folder}`);
    return { ...componentOf(manifestIn(folder), 'library'), hashes: [hashOf(integrity)] };
  });
  const components = [...packages, ...parts.map(componentOfPart)].sort((left, right) =>
    left.purl < right.purl ? -1 : 1,
  );
  const application = componentOf(manifestIn(root), 'application');
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([application, components]))}`,
    version: 1,
    metadata: {
      timestamp: buildTime(root),
      tools: { components: [{ type: 'application', name: 'waybill build', version: application.version }] },
      component: application,
      supplier: { name: 'waybill' },
    },
    components,
    dependencies: [
      { ref: application['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) },
      ...dependenciesOf(
        lock,
        listed.map((folder) => relative(root, folder).replaceAll('\\', '/')),
      ),
    ],
  };
  return `${JSON.stringify(document)}\n`;
}

/** The time of the list of packages, or the one that a reproducible build is given. */
export function buildTime(root: string): string {
  const { SOURCE_DATE_EPOCH: seconds } = process.env;
  const ms =
    seconds === undefined ? statSync(join(root, 'package-lock.json')).mtimeMs : Number(seconds) * 1_000;
  return new Date(ms).toISOString();
}

/** A UUID (RFC 9562, version 8) that is the same for the same contents. */
function uuidOf(contents: string): string {
  const hex = hash('sha256', contents);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** The dependencies among these packages, each resolved as npm does: in the package's own folder, or in one above it. */
function dependenciesOf({ packages }: Lock, folders: readonly string[]) {
  const references = new Map(
    folders.map((folder) => [folder, referenceOf(folder, packages[folder]?.version)]),
  );
  const find = (from: string, name: string): string | undefined => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const folder = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (packages[folder] !== undefined) return references.get(folder);
      if (at === '') return undefined;
    }
  };
  return folders.map((folder) => {
    const { dependencies, optionalDependencies } = packages[folder] ?? {};
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    const dependsOn = [...new Set(names.flatMap((name) => find(folder, name) ?? []))].sort();
    return { ref: references.get(folder), dependsOn };
  });
}

function referenceOf(folder: string, version = ''): string {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return purlOf(name, version);
}

/** The format of package URLs encodes the @ of a scope. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function componentOfPart({ name, version, license, purl }: NativePart) {
  return { ...componentOf({ name, version, license }, 'library'), 'bom-ref': purl, purl };
}

function componentOf({ name, version, license }: Manifest, type: 'library' | 'application') {
  const purl = purlOf(name, version);
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    purl,
    supplier: { name: type === 'application' ? 'waybill' : `npm: ${name}` },
  };
}

/** "BSD" is not an SPDX identifier, and a license expression may contain nothing else. */
function licenseOf(license: string) {
  return license === 'BSD' ? { license: { name: license } } : { expression: license };
}

/** The SHA-512 of a package's archive, which the lock file has in the format of Subresource Integrity. */
function hashOf(integrity: string) {
  const [, content = ''] = /^sha512-(.+)$/.exec(integrity) ?? [];
  return { alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') };
}
