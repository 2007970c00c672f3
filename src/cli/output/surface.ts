import type { Sink } from '../host.ts';
import type { OutputSettings } from './format.ts';
import { paletteFor } from './palette.ts';
import type { Shape } from './shape.ts';
import type { Looks } from './values.ts';

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

export async function looksOf(surface: Surface): Promise<Looks> {
  const { stdoutColour, showPii, times } = surface.settings;
  return { palette: await paletteFor(stdoutColour), showPii, times, now: surface.serviceNow() };
}
