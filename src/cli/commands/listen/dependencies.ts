import type { Exchange } from '../../../client/retries.ts';
import { sinkAnswerText } from '../../../domain/sink-scripts.ts';
import type { Context } from '../../session/command.ts';
import { eventTypeIn } from '../webhooks/event-type.ts';
import { type Channel, createChannel } from './channel.ts';
import { type Targets, targetOf } from './destinations.ts';
import { createForwarder, type Forwarder, most } from './forwarding.ts';
import type { Arrived, Line, Ready } from './lines.ts';
import type { ListenOptions } from './options.ts';
import { openReceivers } from './receivers.ts';
import { listeningSecret } from './secret.ts';
import type { SinkAttempt } from './sink.ts';

/** The dependencies of a run of `listen`. */
export interface Parts {
  context: Context;
  options: ListenOptions;
  ready: Ready;
  lines: Channel<Line>;
  forwarder: Forwarder;
  /** Aborted to end the run. */
  ending: AbortController;
  close(): Promise<void>;
}

/** Creates what forwarding needs; connects to the service. */
export async function openParts(context: Context, options: ListenOptions): Promise<Parts> {
  const { host } = context;
  const mode = await context.mode();
  const secret = await listeningSecret(context);
  const lines = createChannel<Line>(most);
  const sink = await openSink(options, lines);
  const targets: Targets = { routes: options.routes, rest: sink?.url ?? options.rest };
  const observe = context.globals.debug ? await exchangesShown(context) : undefined;
  const receivers = await openReceivers({ host, verify: options.verify, print: lines.put, observe });
  const { signedRequest, signerOf } = await import('./signing.ts');
  const webhook = signerOf(secret);
  const forwarder = createForwarder({
    targetOf: ({ type }) => targetOf(type, targets),
    receiverOf: receivers.of,
    requestOf: (event, url) => signedRequest(event, url, { webhook, now: host.now() }),
    print: lines.put,
    failed: lines.fail,
  });
  const ready: Ready = {
    ...{ type: 'ready', profile: context.settings.name, mode, forward_to: targets.rest },
    ...{ routes: targets.routes, events: options.events.length === 0 ? null : options.events },
    sink: sink?.url ?? null,
    ...(options.printSecret ? { secret } : {}),
  };
  const close = async () => {
    forwarder.stop();
    await receivers.close();
    await sink?.close();
  };
  return { context, options, ready, lines, forwarder, ending: new AbortController(), close };
}

/** Shows the exchanges with the receiver for `--debug`, like those with the service. */
async function exchangesShown({ host, output: { showPii } }: Context) {
  const { exchangeText } = await import('../../kit/http/request-text.ts');
  return (exchange: Exchange) => {
    void host.stderr.write(`${exchangeText(exchange, { showPii })}\n`).catch(() => {});
  };
}

async function openSink({ sink }: ListenOptions, lines: Channel<Line>) {
  if (sink === undefined) return null;
  const { startSink } = await import('./sink.ts');
  return startSink(sink, { received: (attempt) => lines.put(arrivalOf(attempt)), keeps: false });
}

/** The output line of an attempt that arrived at the local receiver. */
function arrivalOf({ number, headers, body, answer }: SinkAttempt): Arrived {
  return {
    type: 'arrived',
    number,
    event_id: headers['webhook-id'] ?? null,
    event_type: eventTypeIn(body),
    answer: sinkAnswerText(answer),
  };
}
