import type { Sink } from '../host/host.ts';
import { paletteFor } from './colour.ts';
import { isForPeople } from './formats.ts';
import type { Filter } from './json.ts';
import type { OutputSettings } from './output-settings.ts';
import type { TextStyle } from './value-text.ts';

/** Where and how a result is written. */
export interface Surface {
  stdout: Sink;
  settings: OutputSettings;
  /** The transformation by `--jq`; null without it. */
  filter: Filter | null;
  /** The service's time, as of its last response. */
  serviceNow(): number;
  /** True if the command has already changed something. */
  isWrite?: boolean;
  /** Called if a table left out columns to fit. */
  leftOut?(): void;
}

/** Output for programs has no color, even if color is forced. */
export async function textStyleOf(surface: Surface): Promise<TextStyle> {
  const { format, stdoutColour, showPii, times } = surface.settings;
  const palette = await paletteFor(isForPeople(format) ? stdoutColour : 0);
  return { palette, showPii, times, now: surface.serviceNow() };
}
