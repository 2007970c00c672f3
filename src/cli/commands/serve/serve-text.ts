import type { RequestLog } from '../../../contract/operation.ts';
import type { Flag, Given, Origin } from '../../kit/args/flags.ts';
import { envVarOf, flagLabel } from '../../kit/args/input.ts';
import type { StackText } from '../../kit/errors/failure.ts';
import { besideOrBelow } from '../../kit/output/rows.ts';
import { prose } from '../../kit/output/sanitize.ts';
import { dashed } from '../../kit/result/message.ts';
import { list, type Result, type Show } from '../../kit/result/result.ts';
import { databaseOf } from '../../session/administer.ts';
import type { Context } from '../../session/command.ts';
import { type Entry, entryColumns } from '../../settings/entries.ts';
import { serveFlags } from './serve-flags.ts';

/** The output of `serve` when it is ready. */
export interface Ready {
  type: 'ready';
  url: string;
  database: string;
  /** Null unless metrics are served. */
  metrics_url: string | null;
  /** The first keys of a new database; null if it already has keys. */
  keys: { test: string; live: string } | null;
}

/** Formats it for people; `isOwn` if the data is the embedded service's, whose key a profile has. */
export function readyText(ready: Ready, show: Show, isOwn: boolean): string {
  return prose(textOf(ready, show, isOwn), show.room);
}

function textOf({ url, database, keys, metrics_url }: Ready, show: Show, isOwn: boolean): string {
  const metrics = metrics_url === null ? '' : `\n${show.dim(`Metrics: ${metrics_url}`)}`;
  const place = `Ready at ${url}\n${show.dim(`Database: ${database}`)}${metrics}`;
  if (keys === null) return `${place}\n${keyText(url, isOwn)}`;
  return [
    place,
    '',
    'Created an account. Its API keys are shown only once:',
    ...keyLines('test', keys.test, show),
    ...keyLines('live', keys.live, show),
    'Use a key in another terminal:',
    `  WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... waybill whoami`,
  ].join('\n');
}

function keyLines(mode: string, key: string, { room }: Show): string[] {
  return besideOrBelow({ text: mode }, { text: key }, { room, indent: 2 });
}

/** Keys are stored as hashes, so they cannot be shown again. */
function keyText(url: string, isOwn: boolean): string {
  const create = 'waybill keys create --permission write';
  if (isOwn) return `To create an API key for it, run on this machine: ${create}`;
  return [
    'The account already exists; its API keys are not shown again. Create another one with:',
    `  WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... ${create}`,
  ].join('\n');
}

/** Formats a log line for stderr: as text, or for programs as one JSON object without personal data. */
export function logText(line: RequestLog, json: boolean, stackText: StackText): string {
  if (!json) return plainText(line, stackText);
  const { type, at, ...rest } = line;
  const level = line.type === 'fault' || line.status >= 500 ? 'error' : 'info';
  const head = { time: new Date(at).toISOString(), level, type };
  if ('fault' in rest) return JSON.stringify({ ...head, ...rest, fault: stackText(rest.fault) });
  return JSON.stringify({ ...head, ...rest, duration_ms: Math.round(rest.duration_ms * 100) / 100 });
}

function plainText(line: RequestLog, stackText: StackText): string {
  if (line.type === 'fault')
    return `error in ${line.request_id ?? 'background work'}: ${stackText(line.fault)}`;
  return `${line.method} ${line.path} ${line.status} ${Math.round(line.duration_ms)} ms`;
}

/** The line that replaces those dropped because stderr was read too slowly. */
export function droppedText(lines: number, json: boolean): string {
  if (json) return JSON.stringify({ type: 'log_dropped', lines });
  return `${lines} log lines were dropped because stderr was not read.`;
}

/** The line that says that the start waits for the database. */
export function waitText(reason: string, json: boolean): string {
  if (json) return JSON.stringify({ type: 'waiting', for: 'database', reason });
  return `Waiting for the database. ${reason}`;
}

/** Removes the password from a database URL. */
export function withoutPassword(database: string): string {
  return database
    .replace(/^(postgres(?:ql)?:\/\/[^:/@]*):[^?#]*@/, '$1:***@')
    .replace(/([?&]\w*password=)[^&#]*/gi, '$1***');
}

/** The flags that are not settings of the service. */
const notSettings: readonly string[] = ['check', 'config'];

/** Lists the settings that `serve` would use, with the source of each. */
export function checkResult(context: Context, given: Given): Result {
  const file = given.find('config')?.texts.at(-1) ?? null;
  const data: Entry[] = [];
  for (const [name, flag] of Object.entries(serveFlags)) {
    if (notSettings.includes(name)) continue;
    const found = given.find(name);
    const origin = found?.origin ?? 'default';
    const value = found === null ? flag.defaultText : valueText(flag, found.texts);
    data.push({
      key: dashed(name),
      value: name === 'database' ? databaseText(context, found?.texts.at(-1)) : value,
      origin,
      source: sourceOf(name, origin, file),
    });
  }
  return list({ data, columns: entryColumns(true) });
}

function valueText({ kind, read }: Flag<unknown>, texts: readonly string[]): string {
  if (kind === 'switch') return read(texts) === true ? 'yes' : 'no';
  return texts.join(', ');
}

function databaseText(context: Context, given: string | undefined): string {
  return withoutPassword(databaseOf(context.host, given));
}

function sourceOf(name: string, origin: Origin, file: string | null): string | null {
  if (origin === 'flag') return flagLabel(name);
  if (origin === 'environment') return envVarOf(name);
  return origin === 'file' ? file : null;
}

/** A queue for log lines whose reader may be slow or stall; adding a line never blocks. */
export interface LogQueue {
  add(line: string): void;
  /** Resolves when everything added is written, or the reader is gone. */
  written(): Promise<void>;
}

interface LogQueueOptions {
  /** Writes text; resolves when the reader has taken it, rejects when the reader has gone. */
  write: (text: string) => Promise<void>;
  /** Resolves after the time between two writes, in which more lines come for the second. */
  pause: () => Promise<void>;
  /** The line that says how many lines were dropped. */
  dropped: (count: number) => string;
  /** The limit of queued characters; further lines are dropped. */
  max_waiting?: number;
}

/**
 * Writes lines in order, one write at a time. Lines that do not fit are counted, and the count is written when there is
 * room.
 */
export function createLogQueue({
  write,
  pause,
  dropped,
  max_waiting = 1024 * 1024,
}: LogQueueOptions): LogQueue {
  let waiting = '';
  let dropped_count = 0;
  let isGone = false;
  let writing: Promise<void> | null = null;

  const writeAll = async () => {
    while (waiting !== '' || dropped_count > 0) {
      const text = waiting + (dropped_count === 0 ? '' : `${dropped(dropped_count)}\n`);
      waiting = '';
      dropped_count = 0;
      await write(text);
      await pause();
    }
  };
  const start = async () => {
    try {
      await writeAll();
    } catch {
      isGone = true;
    }
    writing = null;
  };
  return {
    add: (line) => {
      if (isGone) return;
      // Keeps the order: after a dropped line, nothing is queued before the count of dropped lines.
      if (dropped_count > 0 || waiting.length + line.length >= max_waiting) dropped_count += 1;
      else waiting += `${line}\n`;
      writing ??= start();
    },
    written: async () => {
      await writing;
    },
  };
}
