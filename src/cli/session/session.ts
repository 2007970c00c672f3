import { type GlobalValues, globalsFor, readGlobals } from '../kit/args/global-flags.ts';
import type { CommandTree } from '../kit/args/input.ts';
import { contextFlagsOf, type Parsed, withContextFlags } from '../kit/args/parsed-line.ts';
import { Declined, UsageError } from '../kit/errors/failure.ts';
import type { Host, Prompts } from '../kit/host/host.ts';
import { once } from '../kit/once.ts';
import { type OutputSettings, outputOf } from '../kit/output/format.ts';
import { createWaits, isCi, isRedrawn, type Waits } from '../kit/output/progress.ts';
import { oneLine, sanitized } from '../kit/output/sanitize.ts';
import { type Beside, sentence, worded } from '../kit/output/value-text.ts';
import {
  type Invocation,
  invocation,
  invocationsIn,
  isoTime,
  phrase,
  shellLine,
  stepObject,
  type Text,
  textOf,
} from '../kit/result/message.ts';
import { readInputFile } from '../kit/system/files.ts';
import { withPreferences } from '../settings/entries.ts';
import type { Profile } from '../settings/profiles.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Command, Context, Reach } from './command.ts';
import type { ServiceHost } from './connect.ts';
import { createLink, type Link } from './lazy-connection.ts';

/** One run of a command: its context, and what has to be closed afterwards. */
export interface Session {
  context: Context;
  output: OutputSettings;
  serviceNow(): number;
  /** Adds the account flags of this run to a command. */
  place<T extends Invocation>(line: T): T;
  /** The format flags of the line. */
  formatFlags(): readonly string[];
  close(): Promise<void>;
}

/** The dependencies of a session. */
interface Parts {
  command: Command;
  parsed: Parsed;
  host: ServiceHost;
  tree: CommandTree;
  values: GlobalValues;
  output: OutputSettings;
  settings(): Settings;
  links: Link[];
  /** The connection to the service in the settings. */
  main(reach?: Reach): Link;
  open(chosen: Settings): Link;
  setInterruptionText: Context['setInterruptionText'];
  say(text: string): void;
  waits: Waits;
}

/** Creates the context of a command. Nothing is read or connected before the command needs it. */
export function openSession(
  command: Command,
  parsed: Parsed,
  { host, tree }: { host: ServiceHost; tree: CommandTree },
): Session {
  // A look-up without a terminal writes no file and needs no interruption text.
  const isSeen = host.stdout.isTerminal || host.stderr.isTerminal;
  if (command.effect !== 'read' || isSeen) host.interruption.listen();
  const asked = readGlobals(parsed.global);
  const settings = once(() => readSettings(asked, parsed.origins, host));
  const values = preferring(asked, { command, parsed, host, settings });
  const output = outputOf(values, host, () =>
    command.effect === 'none' ? undefined : settings().profile?.output,
  );
  const say = (text: string) => void host.stderr.write(`${text}\n`).catch(() => {});
  const waits = createWaits(host, output, { debug: values.debug, say });
  const links: Link[] = [];
  const link = (chosen: Settings, writes: boolean, opensUnchanged = false) => {
    const warn = (line: Text) => say(sentence(line, besideOf(parts)));
    const agree = () => agreeToUnknownMode(parts, chosen);
    const made = createLink({
      settings: chosen,
      values,
      output,
      host,
      say,
      warn,
      agree,
      waits,
      writes,
      opensUnchanged,
    });
    links.push(made);
    return made;
  };
  let first: Link | null = null;
  const main = (reach: Reach = {}) => {
    first ??= link(settings(), command.effect === 'write' && reach.reads !== true, reach.opensUnchanged);
    return first;
  };
  const open = (chosen: Settings) => link(chosen, false);
  const setInterruptionText = interruptionTextSetter({ command, parsed, host, output, links });
  const parts: Parts = {
    command,
    parsed,
    host,
    tree,
    values,
    output,
    settings,
    links,
    main,
    open,
    say,
    waits,
    setInterruptionText,
  };
  const context = contextOf(parts);
  const close = async () => {
    for (const made of links) await made.close();
  };
  return {
    context,
    output,
    serviceNow: () => context.serviceNow(),
    place: context.inContext,
    formatFlags: () => contextFlagsOf(parsed).format,
    close,
  };
}

/**
 * Adds the profile's preferences to the global flags. A command without a service works even if the profile is
 * unreadable, as it may be the one that repairs it.
 */
function preferring(
  asked: GlobalValues,
  { command, parsed, host, settings }: Pick<Parts, 'command' | 'parsed' | 'host' | 'settings'>,
): GlobalValues {
  const profile = profileOf(command, settings);
  if (!profile?.preferences) return asked;
  return readGlobals(withPreferences(parsed.global, globalsFor(command), profile, host.environment));
}

function profileOf({ effect }: Command, settings: () => Settings): Profile | null {
  try {
    return settings().profile;
  } catch (error) {
    if (effect === 'none') return null;
    throw error;
  }
}

function contextOf(parts: Parts): Context {
  const { parsed, host, tree, values, output, settings, main, open, say, waits, setInterruptionText } = parts;
  return {
    tree,
    client: (options) => main(options).client(),
    runService: () => main().run(),
    mode: () => main().mode(),
    has: (feature) => main().has(feature),
    at: (chosen) => {
      const link = open(chosen);
      return contextOf({ ...parts, settings: () => chosen, main: () => link });
    },
    get settings() {
      return settings();
    },
    globals: values,
    inContext: (line) => withContextFlags(line, contextFlagsOf(parsed)),
    plainText: (text) => textOf(text, { place: besideOf(parts).place, time: isoTime }),
    stepObject: (step) => stepObject(withContextFlags(step, contextFlagsOf(parsed))),
    commandText: (line) => shellLine(withContextFlags(line, contextFlagsOf(parsed))),
    isTyped: (name) => parsed.origins.get(name) === 'flag',
    output,
    host,
    now: () => host.now(),
    serviceNow: () => serviceNow(parts),
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    get signal() {
      return host.signal;
    },
    get interactive() {
      return canAsk(values, output, host);
    },
    prompts: () => promptsOf(parts),
    confirm: (question, options) => confirm(question, parts, options?.despiteYes === true),
    note: (line, { isWhole = false } = {}) => {
      if (!output.quiet)
        say(isWhole ? oneLine(worded(line, besideOf(parts))) : sentence(line, besideOf(parts)));
    },
    warn: (line) => say(sentence(line, besideOf(parts))),
    progress: (text) => waits.open(text),
    readFile: (path) => readInputFile(path, host),
    setInterruptionText,
    onStop: (work) => {
      host.interruption.listen();
      host.interruption.work.push(work);
    },
    idempotencyKey: (part) => main().watch.newKey(part),
  };
}

function serviceNow({ links, host }: Pick<Parts, 'links' | 'host'>): number {
  return links.at(-1)?.watch.serviceNow() ?? host.now();
}

/** The context of messages on stderr. */
function besideOf(parts: Pick<Parts, 'output' | 'host' | 'links' | 'parsed'>): Beside {
  const place = <T extends Invocation>(line: T) => withContextFlags(line, contextFlagsOf(parts.parsed));
  return { output: parts.output, stderr: parts.host.stderr, now: serviceNow(parts), place };
}

/** Registers the interruption text; returns the function that replaces it. */
function interruptionTextSetter(
  parts: Pick<Parts, 'command' | 'parsed' | 'host' | 'output' | 'links'>,
): Context['setInterruptionText'] {
  const { command, host, links } = parts;
  let read: (() => Text) | null = null;
  const untouched = command.effect === 'none' ? null : 'Nothing was changed at the service.';
  host.interruption.status = () => {
    const text = read?.() ?? links.at(-1)?.watch.writeOutcome() ?? untouched;
    if (text === null) return null;
    const beside = besideOf(parts);
    return { text: sanitized(worded(text, beside)), next: invocationsIn(text).map(beside.place) };
  };
  return (text) => {
    read = () => (typeof text === 'function' ? text() : text);
  };
}

function canAsk(values: GlobalValues, output: OutputSettings, host: Host): boolean {
  return host.stdin.isTerminal && host.stderr.isTerminal && values.input && !output.json && !isCi(host);
}

/** Plain lines if the terminal cannot redraw. */
function promptsOf({ output, host }: Pick<Parts, 'output' | 'host'>): Promise<Prompts> {
  return host.prompts(!isRedrawn(host, output), output.stderrColour);
}

/** A service that does not report the mode of a key may be live: each write needs confirmation. */
async function agreeToUnknownMode(parts: Parts, { name }: Settings): Promise<void> {
  const { values, output, host } = parts;
  if (values.yes) return;
  const login = invocation('login', [], { mode: 'test' });
  if (!canAsk(values, output, host)) {
    throw new UsageError(`The service does not say whether the key of ${name} is for test or live mode.`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: phrase`Agree with --yes, or store the mode: \`${login}\`, or --mode live.`,
      next: [{ ...login, when: 'store the mode of the key' }],
    });
  }
  const prompts = await promptsOf(parts);
  const question = `It is not known whether the key of ${name} is for test or live mode. Continue?`;
  if (!(await prompts.confirm(question))) throw new Declined();
}

/** The account is shown above the question. */
async function confirm(question: Text, parts: Parts, despiteYes: boolean): Promise<void> {
  const { command, values, host, output, main } = parts;
  if (values.yes && !despiteYes) return;
  if (!canAsk(values, output, host)) {
    throw new UsageError(phrase`Confirmation required: ${question}`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: 'Pass --yes to run without a prompt.',
    });
  }
  if (command.effect === 'write') {
    await main().mode();
    main().announce();
  }
  const prompts = await promptsOf(parts);
  if (!(await prompts.confirm(worded(question, besideOf(parts))))) throw new Declined();
}
