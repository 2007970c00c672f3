import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Result, Row, StreamLine } from '../kit/result/result.ts';
import { makeFolder } from '../kit/settings/settings-file.ts';
import { writeWhole } from '../kit/system/files.ts';
import type { Context } from '../session/command.ts';
import type { Settings } from '../settings/settings.ts';
import { enough, look, type Sightings } from './collect-ids.ts';
import { merged, recordsIn, recordsText } from './id-records.ts';
import { keyMark, type Scope, seenFile } from './scope.ts';

type Seeing = Pick<Context, 'settings' | 'host'>;

/** Shows a result and stores its IDs and references for completion. A failure to store them is ignored. */
export async function showAndSaveIds(
  answer: Result,
  context: Seeing,
  show: (answer: Result) => Promise<number>,
): Promise<number> {
  const found: Sightings = { records: [], gone: new Set(), isReset: false };
  const { host } = context;
  const see = (data: unknown) => look(data, found, host.now());
  try {
    return await show(collectFrom(answer, answer.kind === 'stream' ? collectNewestFirst(found, see) : see));
  } finally {
    try {
      saveIds(found, context);
    } catch {}
  }
}

/** Later items of a stream are newer; a list starts with the newest. */
function collectNewestFirst(found: Sightings, see: (data: unknown) => void): (data: unknown) => void {
  return (data) => {
    const before = found.records;
    found.records = [];
    see(data);
    found.records = [...found.records, ...before].slice(0, enough);
  };
}

/** Wraps a result so that each part is collected when it is shown. */
function collectFrom(answer: Result, see: (data: unknown) => void): Result {
  if (answer.kind === 'list') return { ...answer, rows: collectEach<Row>(answer.rows, see) };
  if (answer.kind === 'stream') return { ...answer, lines: collectEach<StreamLine>(answer.lines, see) };
  if (answer.kind === 'record') see(answer.row.data);
  else if (answer.kind !== 'text') see(answer.data);
  return answer;
}

async function* collectEach<T extends { data: unknown }>(
  parts: Iterable<T> | AsyncIterable<T>,
  see: (data: unknown) => void,
): AsyncIterable<T> {
  for await (const part of parts) {
    see(part.data);
    yield part;
  }
}

function saveIds(found: Sightings, { settings, host }: Seeing): void {
  if (found.records.length === 0 && found.gone.size === 0 && !found.isReset) return;
  const file = seenFile(host, scopeOf(settings));
  const older = found.isReset ? [] : recordsIn(textOf(file));
  write(file, recordsText(merged(found.records, older, found.gone)));
}

/** The scope of the settings. */
export function scopeOf({ name, target, profile, keyOrigin, apiKey }: Settings): Scope {
  const isOwn = keyOrigin === 'profile' || keyOrigin === 'default';
  const isEmbedded = target.kind === 'embedded';
  const own = isEmbedded || profile === null ? '' : keyMark({ ...profile });
  return {
    name,
    service: isEmbedded ? target.file : target.baseUrl,
    mode: profile?.mode ?? '',
    key: isOwn ? own : (apiKey ?? ''),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Writes a file that only this user can read. */
function write(file: string, text: string): void {
  const folder = dirname(file);
  const isNew = statSync(file, { throwIfNoEntry: false }) === undefined;
  makeFolder(folder);
  if (isNew) deleteOldFiles(folder);
  writeWhole(file, text, { mode: 0o600 });
}

/** The limit of stored scopes; the least recently used ones are deleted. */
const max_files = 20;

function deleteOldFiles(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const ages = new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0]));
  files.sort((left, right) => (ages.get(right) ?? 0) - (ages.get(left) ?? 0));
  for (const file of files.slice(max_files - 1)) rmSync(file, { force: true });
}
