import type { SourceMap, SourceOrigin } from 'node:module';

/** The stack of an error, and those of its causes. */
export type StackText = (error: unknown) => string;

/**
 * Makes stacks name our source files and lines, by the source maps that the build leaves beside its files in this folder.
 * A map is read for the first stack that needs it, and kept for the next: a start that prints no stack reads none.
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
  /** A part of a stack that began with this folder. */
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

/** Null where no map can be read: the stack stays as it is then. */
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
