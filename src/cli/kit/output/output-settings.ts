/** How the result of a command is written: decided by its flags, the environment, the profile and the terminal. */
import type { ColourLevel, Environment, Host, Sink } from '../host/host.ts';
import { type Format, isForPeople, isJson, type PlotCharset } from '../result/result.ts';
import { colourLevel, type colourModes } from './colour.ts';
import { isCi } from './progress.ts';
import type { TimeStyle } from './times.ts';

/**
 * How values are written: as usual in the format, as the interface's own values (cents, ISO times, codes), or formatted
 * for people (dollars, local times, masked phone numbers).
 */
export type ValueStyle = 'usual' | 'raw' | 'formatted';

/** How the result is written. */
export interface OutputSettings {
  format: Format;
  isFormatNamed: boolean;
  /** Either JSON format: errors are JSON too, and there are no prompts. */
  json: boolean;
  /** `--json=a,b.c`; null for all fields. */
  fields: readonly string[] | null;
  /** The columns named by `--columns`, in order; null for the usual ones. */
  columns: readonly string[] | null;
  /** Whether `--raw` or `--columns` changes how the format writes values. */
  values: ValueStyle;
  /** The filter of `--jq`; null without it. */
  jq: string | null;
  /** How people see times: `--time`. */
  times: TimeStyle;
  /** Whether long text may be paged. */
  readonly canPage: boolean;
  quiet: boolean;
  accessible: boolean;
  /** Show phone numbers and e-mail addresses unmasked, also to people. */
  showPii: boolean;
  /** The characters for plots on stdout; null without plots: in a pipe and in accessible mode. */
  readonly plotCharset: PlotCharset | null;
  readonly stdoutColour: ColourLevel;
  readonly stderrColour: ColourLevel;
}

/** Where and how a result is written. */
export interface RenderContext {
  stdout: Sink;
  settings: OutputSettings;
  /** The transformation by `--jq`; null without it. */
  filter: JqFilter | null;
  /** The service's time, as of its last response. */
  serviceNow(): number;
  /** True if the command has already changed something. */
  isWrite?: boolean;
  /** Whether the selected fields were checked before: one that the result has not is null. */
  areFieldsKnown?: boolean;
  /** Called if a table left out columns to fit. */
  columnsLeftOut?(): void;
}

/** The filter of `--jq`. */
export interface JqFilter {
  /** Transforms documents one by one. Throws UsageError if the filter was stopped. */
  apply(documents: readonly unknown[], isTerminal: boolean): Promise<JqOutput>;
}

/** The text that a filter made of documents, up to the first one that the filter does not fit. */
interface JqOutput {
  text: string;
  /** Why a document failed; null if none did. */
  fault: string | null;
}

interface OutputFlags {
  json: string | undefined;
  output: Format | undefined;
  columns: readonly string[] | undefined;
  raw: boolean | undefined;
  jq: string | undefined;
  time: Exclude<TimeStyle, null> | undefined;
  noPager: boolean;
  quiet: boolean;
  accessible: boolean;
  showPii: boolean;
  color: (typeof colourModes)[number];
}

type Streams = Pick<Host, 'stdout' | 'stderr' | 'environment' | 'platform'>;

/** Decides all output settings; `profileFormat` is only called if nothing else decides. */
export function outputSettingsFor(
  flags: OutputFlags,
  host: Streams,
  profileFormat: () => Format | undefined,
): OutputSettings {
  const { json, jq } = flags;
  const isDecided = [json, jq, flags.output].some((text) => text !== undefined);
  const { isTerminal } = host.stdout;
  const preset = isDecided ? undefined : profileFormat();
  const format = formatOf({ ...flags, profileFormat: preset, isTerminal });
  const { environment } = host;
  const accessible = flags.accessible || isAccessible(environment);
  const level = (stream: { isTerminal: boolean }) =>
    colourLevel({ mode: flags.color, environment, isTerminal: stream.isTerminal });
  return {
    format,
    isFormatNamed: isDecided || preset !== undefined,
    json: isJson(format),
    fields: fieldsOf(json),
    columns: flags.columns ?? null,
    values: valueStyleOf(format, flags),
    jq: jq ?? null,
    times: flags.time ?? null,
    get canPage() {
      return isTerminal && !flags.noPager && !accessible && !isPagingImpossible(host);
    },
    quiet: flags.quiet,
    accessible,
    showPii: flags.showPii,
    get plotCharset() {
      return isTerminal && !accessible ? plotCharsetFor(host) : null;
    },
    get stdoutColour() {
      return level(host.stdout);
    },
    get stderrColour() {
      return level(host.stderr);
    },
  };
}

/** `ACCESSIBLE` applies to all programs. */
export function isAccessible({ ACCESSIBLE }: Environment): boolean {
  return !['', '0', undefined].includes(ACCESSIBLE);
}

interface FormatChoice {
  /** The value of `--json`: `''` without fields. */
  json: string | undefined;
  jq?: string | undefined;
  output: Format | undefined;
  /** The format in the profile. */
  profileFormat: Format | undefined;
  isTerminal: boolean;
}

/** Selects `--json` or `--jq`, then `-o`, then the profile; else a table on a terminal, and plain lines elsewhere. */
function formatOf({ json, jq, output, profileFormat, isTerminal }: FormatChoice): Format {
  if (json !== undefined || jq !== undefined) return output === 'ndjson' ? 'ndjson' : 'json';
  return output ?? profileFormat ?? (isTerminal ? 'table' : 'tsv');
}

/** Decides on the values. Those of a CSV with chosen columns are for people; other lines and CSV are for programs. */
function valueStyleOf(format: Format, { columns, raw }: Pick<OutputFlags, 'columns' | 'raw'>): ValueStyle {
  if (isJson(format) || format === 'id') return 'usual';
  const isTable = isForPeople(format);
  const isRaw = raw ?? !(isTable || (format === 'csv' && columns !== undefined));
  if (isRaw === !isTable) return 'usual';
  return isRaw ? 'raw' : 'formatted';
}

/** The fields named by `--json=a,b.c`. */
function fieldsOf(json: string | undefined): readonly string[] | null {
  const names = (json ?? '').split(',').map((name) => name.trim());
  const fields = names.filter((name) => name !== '');
  return fields.length === 0 ? null : fields;
}

/**
 * The characters for plots on a terminal, chosen by its locale: the first of LC_ALL, LC_CTYPE and LANG that is set
 * (POSIX), else ASCII. Windows has no locale variables; its newer terminals are identified by their own.
 */
export function plotCharsetFor({
  environment,
  platform,
}: Pick<Host, 'environment' | 'platform'>): PlotCharset {
  const { TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION, TERM_PROGRAM } = environment;
  if (TERM === 'dumb' || TERM === 'linux') return 'ascii';
  const locale = LC_ALL || LC_CTYPE || LANG;
  if (locale) return /utf-?8/i.test(locale) ? 'blocks' : 'ascii';
  return platform === 'win32' && (WT_SESSION || TERM_PROGRAM) ? 'blocks' : 'ascii';
}

/** True where paging is impossible: in CI, and on a terminal that cannot move its cursor. */
export function isPagingImpossible(host: Pick<Host, 'environment'>): boolean {
  return host.environment.TERM === 'dumb' || isCi(host);
}
