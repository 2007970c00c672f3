import type { SourceMap, SourceOrigin } from 'node:module';

/** The stack of an error and its causes. */
export type StackText = (error: unknown) => string;

/**
 * Maps stacks to our source files and lines, with the source maps in this folder. A map is only read for the first
 * stack that needs it and then cached.
 */
export function stackTexts(folder = import.meta.dirname): StackText {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (name: string) => {
    const known = maps.get(name);
    if (known !== undefined) return known;
    const map = readMap(`${folder}/${name}.map.gz`);
    maps.set(name, map);
    return map;
  };
  /** Maps a location in a file of this folder. */
  const located = (part: string) => {
    const [place = '', name = '', line, column] = /^([\w-]+\.cjs):(\d+):(\d+)/.exec(part) ?? [];
    const map = place === '' ? null : mapOf(name);
    const origin: Partial<SourceOrigin> = map?.findOrigin(Number(line), Number(column)) ?? {};
    const { fileName, lineNumber, columnNumber } = origin;
    if (fileName === undefined) return `${folder}/${part}`;
    return `${fileName}:${lineNumber}:${columnNumber}${part.slice(place.length)}`;
  };
  const textOf: StackText = (error) => {
    if (!(error instanceof Error)) return String(error);
    const [start, ...parts] = (error.stack ?? error.message).split(`${folder}/`);
    const cause = error.cause === undefined ? '' : `\nCaused by: ${textOf(error.cause)}`;
    return [start, ...parts.map(located)].join('') + cause;
  };
  return textOf;
}

/** Null if the map cannot be read: the stack stays unmapped. */
function readMap(file: string): SourceMap | null {
  try {
    const { SourceMap } = process.getBuiltinModule('node:module');
    const { gunzipSync } = process.getBuiltinModule('node:zlib');
    const text = gunzipSync(process.getBuiltinModule('node:fs').readFileSync(file));
    return new SourceMap(JSON.parse(text.toString()));
  } catch {
    return null;
  }
}
