import type { EventType } from '../../../contract/vocabulary.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { TargetRule, Targets } from './destinations.ts';
import type { Remaining } from './forwarding.ts';

/** The options of `listen`. */
export interface ListenOptions extends Targets {
  events: readonly EventType[];
  /** The script of the local receiver for events without a route. */
  sink: string | undefined;
  /** Start from this time; null: from now. */
  since: string | null;
  /** Whether to verify certificates. */
  verify: boolean;
  printSecret: boolean;
}

/** Describes the events that did not arrive, with the command that continues; null if all arrived. */
export function remainingText(options: ListenOptions, { waiting, given_up, since }: Remaining): Text | null {
  if (since === null) return null;
  const parts = [
    ...(waiting > 0 ? [`${eventsText(waiting)} not delivered yet`] : []),
    ...(given_up > 0 ? [`${eventsText(given_up)} given up`] : []),
  ];
  return phrase`${parts.join(', ')}. To go on from there: ${againCommand(options, since)}`;
}

function eventsText(count: number): string {
  return count === 1 ? '1 event is' : `${count} events are`;
}

/** The same command, starting from a given time. */
function againCommand({ rest, routes, events, sink, verify }: ListenOptions, since: string): Invocation {
  const flags = routes.flatMap(({ pattern, url }: TargetRule) => ['--route', `${pattern}=${url}`]);
  return invocation('listen', [...flags], {
    ...(sink === undefined ? { forwardTo: rest ?? undefined } : { sink }),
    events: events.length === 0 ? undefined : events.join(','),
    skipVerify: !verify,
    since,
  });
}
