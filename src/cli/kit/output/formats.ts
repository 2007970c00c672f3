/** The output formats: `--output`. */
export const formats = ['table', 'wide', 'tsv', 'csv', 'ndjson', 'json', 'id'] as const;
export type Format = (typeof formats)[number];

/** The formats of a drawing, which has no columns. */
export const drawingFormats = ['table', 'wide', 'tsv', 'ndjson', 'json', 'id'] as const;
/** The formats of a stream. */
export const streamFormats = ['table', 'wide', 'tsv', 'ndjson', 'json'] as const;

/** The formats of a result without an ID. */
export const idlessFormats = ['table', 'wide', 'tsv', 'csv', 'ndjson', 'json'] as const;

/** The meaning of each format, for help. */
export const formatMeanings = {
  table: 'aligned columns; the default in a terminal',
  wide: 'the same with all columns',
  tsv: 'tab-separated values without a header; the default when not in a terminal',
  csv: 'comma-separated values with a header; cells that look like formulas are escaped',
  ndjson: 'one JSON object per line',
  json: "one JSON document with the API's own objects (same as --json)",
  id: 'one ID per line',
} as const satisfies Record<Format, string>;

export const timeModes = ['relative', 'local', 'iso'] as const;

export const colourModes = ['auto', 'always', 'never'] as const;

/** True for a format meant for people. */
export function isForPeople(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}
