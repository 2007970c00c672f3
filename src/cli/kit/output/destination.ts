import type { Sink } from '../host/host.ts';
import type { OutputSettings } from './format.ts';
import type { Format } from './formats.ts';
import { paletteFor } from './palette.ts';
import type { Shape } from './shape.ts';
import type { Looks } from './value-text.ts';

/** Where an answer goes, and how it is to look. */
export interface Surface {
  stdout: Sink;
  settings: OutputSettings;
  /** What `--jq` or `--template` makes of the data; null without them. */
  shape: Shape | null;
  /** By the service's clock, as of its last answer. */
  serviceNow(): number;
  /** Whether the command changed something before its answer is written. */
  isWrite?: boolean;
  /** Called where a table left out columns so that it fits. */
  leftOut?(): void;
}

/** Whether a format is one for people. */
export function isForPeople(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

/** What is written for programs has no colour, even where it is forced. */
export async function looksOf(surface: Surface): Promise<Looks> {
  const { format, stdoutColour, showPii, times } = surface.settings;
  const palette = await paletteFor(isForPeople(format) ? stdoutColour : 0);
  return { palette, showPii, times, now: surface.serviceNow() };
}
