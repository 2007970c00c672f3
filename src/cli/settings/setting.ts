import { parseBaseUrl } from '../../client/addresses.ts';
import { didYouMean } from '../kit/args/suggestions.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { formats } from '../kit/output/formats.ts';
import { invocation } from '../kit/result/invocation.ts';
import { faultIn, preferences } from './preferences.ts';
import type { Profile } from './profiles.ts';

interface Change {
  key: string;
  value: string;
  /** The name of the profile. */
  name: string;
}

/** Changes a setting of a profile; UsageError for an invalid value, BadBaseUrl for an invalid URL. */
export function withSetting(profile: Profile, { key, value, name }: Change): Profile {
  if (key === 'base_url') return withBaseUrl(profile, value, name);
  checkValue(key, value);
  const output = formats.find((format) => format === value);
  if (key === 'output') return output === undefined ? profile : { ...profile, output };
  return { ...profile, preferences: { ...profile.preferences, [key]: value } };
}

/** Resets a setting of a profile to its default. */
export function withoutSetting(profile: Profile, key: string): Profile {
  const { output, preferences: kept = {}, ...rest } = profile;
  const { [key]: _, ...left } = kept;
  return {
    ...rest,
    ...(output === undefined || key === 'output' ? {} : { output }),
    ...(Object.keys(left).length === 0 ? {} : { preferences: left }),
  };
}

function checkValue(key: string, value: string): void {
  const reader = preferences.find((preference) => preference.key === key)?.reader;
  const fault = reader === undefined ? null : faultIn(reader, value);
  if (fault === null) return;
  const hint = fault.given === null ? undefined : didYouMean(fault.given, fault.choices);
  throw new UsageError(`${key} ${fault.message}.`, {
    code: 'bad_value',
    choices: fault.choices,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A key belongs to its service: a profile with a key, or an embedded one, keeps its URL. */
function withBaseUrl(profile: Profile, value: string, name: string): Profile {
  parseBaseUrl(value);
  if (profile.base_url === value) return profile;
  const { api_key, api_key_file, api_key_in, embedded } = profile;
  const hasKey = [api_key, api_key_file, api_key_in].some((place) => place !== undefined);
  if (!hasKey && embedded === undefined) {
    const { mode: _, ...rest } = profile;
    return { ...rest, base_url: value };
  }
  const why = hasKey ? 'has a key, which is for its own service' : 'is the service inside waybill';
  throw new Failure(6, 'profile_settled', `The profile ${name} ${why}: its address stays.`, {
    next: [{ ...invocation('login', [], { baseUrl: value }), when: 'log in there with a new profile' }],
  });
}
