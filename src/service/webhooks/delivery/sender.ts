import type { ServiceContext } from '../../runtime/context.ts';

/** Sends events to the endpoints that ask for them. */
export interface Sender {
  /** Sends all that is due now, and what becomes due meanwhile; tells how many attempts there were. */
  sendDue: () => Promise<number>;
  /** The same, but does not wait for endpoints that are slow; tells how many attempts were written down meanwhile. */
  sendPromptly: () => Promise<number>;
  /** When the first message is due, in service time, to an enabled endpoint that is not slow; null where there is none. */
  nextDueAt: () => Promise<number | null>;
  /** Goes on sending whatever becomes due, where this process does the background work, until it is stopped. */
  start: () => void;
  /** Takes no further message; ends once what is out is written down. */
  stop: () => Promise<void>;
}

/** A sender whose code is loaded when something is to be sent: most commands send nothing. */
export function createSender(service: () => ServiceContext): Sender {
  let opened: Promise<Sender> | null = null;
  const open = () => {
    opened ??= import('./sender-loop.ts').then(({ openSender }) => openSender(service()));
    return opened;
  };
  return {
    sendDue: async () => (await open()).sendDue(),
    sendPromptly: async () => (await open()).sendPromptly(),
    nextDueAt: async () => (await open()).nextDueAt(),
    start: () => {
      void open().then((sender) => sender.start());
    },
    stop: async () => {
      await (await opened)?.stop();
    },
  };
}
