/**
 * The software bill of materials: every package and part of which the build contains code or data, in CycloneDX 1.5
 * (https://cyclonedx.org/docs/1.5/json/). It has no time and no serial number, so that two builds are equal.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { NativePart } from './notices.ts';

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** The entries of package-lock.json, by folder relative to it. */
interface Lock {
  packages: Readonly<Record<string, { integrity?: string } | undefined>>;
}

/**
 * The document for the packages in these folders and for other parts, sorted by name. Throws if a package is not in the
 * lock file.
 */
export function sbomOf(root: string, folders: Iterable<string>, parts: readonly NativePart[] = []): string {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = [...folders].map((folder) => {
    const integrity = lock.packages[relative(root, folder).replaceAll('\\', '/')]?.integrity;
    if (integrity === undefined) throw new Error(`package-lock.json has no integrity of ${folder}`);
    return { ...componentOf(manifestIn(folder), 'library'), hashes: [hashOf(integrity)] };
  });
  const components = [...packages, ...parts.map(componentOfPart)].sort((left, right) =>
    left.purl < right.purl ? -1 : 1,
  );
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: componentOf(manifestIn(root), 'application') },
    components,
  };
  return `${JSON.stringify(document)}\n`;
}

/** The document with another part. */
export function withComponent(sbom: string, part: NativePart): string {
  const document: { components: object[] } = JSON.parse(sbom);
  return `${JSON.stringify({ ...document, components: [...document.components, componentOfPart(part)] })}\n`;
}

function componentOfPart({ name, version, license, purl }: NativePart) {
  return { ...componentOf({ name, version, license }, 'library'), 'bom-ref': purl, purl };
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function componentOf({ name, version, license }: Manifest, type: 'library' | 'application') {
  // The format of package URLs encodes the @ of a scope.
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    purl,
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
