import type { Host } from '../host.ts';
import { colourModes, timeModes } from '../line/globals.ts';
import { wantsJson } from '../line/parse.ts';
import { type ColourLevel, colourLevel } from '../output/colour.ts';
import { isJson } from '../output/format.ts';
import type { TimeStyle } from '../output/times.ts';
import type { Known } from '../program.ts';
import { profilesFile } from '../settings/paths.ts';
import { decidesColour } from '../settings/preferences.ts';
import { type Profile, readProfiles } from '../settings/profiles.ts';

/** How an error is told. */
export interface Manner {
  json: boolean;
  times: TimeStyle;
  colour: ColourLevel;
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
}

/**
 * As the line asks for, the environment and then the profile where it does not. A line that was never understood is
 * searched for its flags: it may be wrong.
 */
export function mannerOf({ session, argv, command }: Known, host: Host): Manner {
  if (session !== null) {
    const { json, times, stderrColour } = session.output;
    return { json, times, colour: stderrColour, now: session.serviceNow() };
  }
  const { environment, stderr } = host;
  const given = givenOn(argv, environment);
  const profile = profileOf(given, host);
  const taste = decidesColour(environment) ? undefined : profile?.preferences?.color;
  const isPreset = command?.effect !== 'none' && !choosesFormat(argv, environment);
  const mode = oneOf(colourModes, given('colou?r', 'COLOR') ?? taste) ?? 'auto';
  return {
    json: isPreset ? isJson(profile?.output ?? 'table') : wantsJson(argv, environment),
    times: oneOf(timeModes, given('time', 'TIME') ?? profile?.preferences?.time) ?? null,
    colour: colourLevel({ mode, environment, isTerminal: stderr.isTerminal }),
    now: host.now(),
  };
}

type Environment = Host['environment'];
/** What the line, or else its twin in the environment, gives a flag. */
type Given = (flag: string, twin: string) => string | undefined;

function givenOn(argv: readonly string[], environment: Environment): Given {
  const line = beforeDashes(argv);
  return (flag, twin) => {
    const at = line.findIndex((token) => new RegExp(`^--${flag}(=|$)`).test(token));
    const [, ...value] = line[at]?.split('=') ?? [];
    if (at === -1) return environment[`WAYBILL_${twin}`] || undefined;
    return value.length > 0 ? value.join('=') : line[at + 1];
  };
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** Null where the place is none of a profile, and where the settings cannot be read: another error tells of that. */
function profileOf(given: Given, host: Host): Profile | null {
  try {
    const { current, profiles } = readProfiles(profilesFile(host));
    const profile = profiles[given('profile', 'PROFILE') ?? current] ?? null;
    const baseUrl = given('base-url', 'BASE_URL');
    return baseUrl === undefined || baseUrl === profile?.base_url ? profile : null;
  } catch {
    return null;
  }
}

function choosesFormat(argv: readonly string[], environment: Environment): boolean {
  const isFlag = (token: string) => /^(?:-o|--(?:output|json|jq|template)(?:=|$))/.test(token);
  const twins = ['JSON', 'OUTPUT', 'JQ', 'TEMPLATE'].map((name) => environment[`WAYBILL_${name}`]);
  return beforeDashes(argv).some(isFlag) || twins.some(Boolean);
}

function oneOf<T extends string>(modes: readonly T[], text: string | undefined): T | undefined {
  return modes.find((mode) => mode === text);
}
