import type { Host } from '../host.ts';
import type { Format, GlobalValues } from '../line/globals.ts';
import { type ColourLevel, colourLevel } from './colour.ts';

/** How the answer is written. */
export interface OutputSettings {
  format: Format;
  /** JSON of either sort: errors are JSON too, and nobody is asked anything. */
  json: boolean;
  /** `--json=a,b.c`; null for all fields. */
  fields: readonly string[] | null;
  quiet: boolean;
  accessible: boolean;
  readonly stdoutColour: ColourLevel;
  readonly stderrColour: ColourLevel;
}

interface FormatAsked {
  /** The value of `--json`: `''` without fields. */
  json: string | undefined;
  output: Format | undefined;
  /** What the profile says. */
  preset: Format | undefined;
  isTerminal: boolean;
}

/** `--json`, then `-o`, then the profile; else a table on a terminal and tab-separated lines elsewhere. */
export function formatOf({ json, output, preset, isTerminal }: FormatAsked): Format {
  if (json !== undefined) return output === 'ndjson' ? 'ndjson' : 'json';
  return output ?? preset ?? (isTerminal ? 'table' : 'tsv');
}

/** The fields named by `--json=a,b.c`. */
export function fieldsOf(json: string | undefined): readonly string[] | null {
  const names = (json ?? '').split(',').map((name) => name.trim());
  const fields = names.filter((name) => name !== '');
  return fields.length === 0 ? null : fields;
}

export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}

type Asked = Pick<GlobalValues, 'json' | 'output' | 'quiet' | 'accessible' | 'color'>;
type Streams = Pick<Host, 'stdout' | 'stderr' | 'environment'>;

/** All choices of output at once; `preset` is asked for only where nothing else decides. */
export function outputOf(asked: Asked, host: Streams, preset: () => Format | undefined): OutputSettings {
  const isDecided = asked.json !== undefined || asked.output !== undefined;
  const { isTerminal } = host.stdout;
  const format = formatOf({ ...asked, preset: isDecided ? undefined : preset(), isTerminal });
  const { environment } = host;
  const level = (stream: { isTerminal: boolean }) =>
    colourLevel({ mode: asked.color, environment, isTerminal: stream.isTerminal });
  return {
    format,
    json: isJson(format),
    fields: fieldsOf(asked.json),
    quiet: asked.quiet,
    accessible: asked.accessible || !['', '0', undefined].includes(environment.ACCESSIBLE),
    get stdoutColour() {
      return level(host.stdout);
    },
    get stderrColour() {
      return level(host.stderr);
    },
  };
}
