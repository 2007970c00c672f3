import type { Feature } from '../../client/features.ts';
import type { CommandSpec } from '../kit/args/command-spec.ts';
import { envVarOf } from '../kit/args/input.ts';
import type { LineState } from '../kit/args/line-parser.ts';
import { type Environment, type Texts, wantsJson } from '../kit/args/parsed-line.ts';
import type { ContextFlags } from '../kit/args/with-context-flags.ts';
import type { ColourLevel, Host } from '../kit/host/host.ts';
import { colourLevel } from '../kit/output/colour.ts';
import { isJson, type OutputSettings } from '../kit/output/format.ts';
import { colourModes, timeModes } from '../kit/output/formats.ts';
import type { TimeStyle } from '../kit/output/times.ts';
import { profilesFile } from '../settings/paths.ts';
import { decidesColour } from '../settings/preferences.ts';
import { type Profile, readProfiles } from '../settings/profiles.ts';

/** The part of a line that was parsed before an error: it decides how the error is reported. */
export interface Known {
  line: LineState;
  command: CommandSpec | null;
  words: readonly string[];
  /** The flags of the line that suggested commands need too. */
  context: ContextFlags;
  /** Set once the line is parsed. */
  session: {
    output: OutputSettings;
    serviceNow(): number;
    context: { has(feature: Feature): boolean };
  } | null;
}

/** How an error is formatted. */
export interface ErrorFormat {
  json: boolean;
  times: TimeStyle;
  colour: ColourLevel;
  /** The service's time in milliseconds since the epoch. */
  now: number;
}

/**
 * Takes the format from the line, then the environment, then the profile. If the line could not be parsed, the flags
 * before the error count.
 */
export function errorFormatOf({ session, line: { texts }, command }: Known, host: Host): ErrorFormat {
  if (session !== null) {
    const { json, times, stderrColour } = session.output;
    return { json, times, colour: stderrColour, now: session.serviceNow() };
  }
  const { environment, stderr } = host;
  const given: Given = (name) => texts.get(name)?.at(-1) ?? (environment[envVarOf(name)] || undefined);
  const profile = profileOf(given, host);
  const taste = decidesColour(environment) ? undefined : profile?.preferences?.color;
  const isPreset = command?.effect !== 'none' && !choosesFormat(texts, environment);
  const mode = oneOf(colourModes, given('color') ?? taste) ?? 'auto';
  return {
    json: isPreset ? isJson(profile?.output ?? 'table') : wantsJson(texts, environment),
    times: oneOf(timeModes, given('time') ?? profile?.preferences?.time) ?? null,
    colour: colourLevel({ mode, environment, isTerminal: stderr.isTerminal }),
    now: host.now(),
  };
}

/** The value of a flag from the command line, or else from the environment, by the flag's name in the code. */
type Given = (name: string) => string | undefined;

/** Null without a profile and if the settings cannot be read, which another error reports. */
function profileOf(given: Given, host: Host): Profile | null {
  try {
    const { current, profiles } = readProfiles(profilesFile(host));
    const profile = profiles[given('profile') ?? current] ?? null;
    const baseUrl = given('baseUrl');
    return baseUrl === undefined || baseUrl === profile?.base_url ? profile : null;
  } catch {
    return null;
  }
}

function choosesFormat(texts: Texts, environment: Environment): boolean {
  const flags = ['json', 'output', 'jq'];
  return flags.some((name) => texts.has(name) || Boolean(environment[envVarOf(name)]));
}

function oneOf<T extends string>(modes: readonly T[], text: string | undefined): T | undefined {
  return modes.find((mode) => mode === text);
}
