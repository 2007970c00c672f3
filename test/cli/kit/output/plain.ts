import type { OutputSettings } from '../../../../src/cli/kit/output/format.ts';

/** Neutral output settings. */
export const plainOutput = {
  format: 'tsv',
  json: false,
  fields: null,
  columns: null,
  values: 'usual',
  jq: null,
  times: null,
  pages: false,
  links: false,
  quiet: false,
  accessible: false,
  showPii: false,
  ink: null,
  stdoutColour: 0,
  stderrColour: 0,
} as const satisfies OutputSettings;
