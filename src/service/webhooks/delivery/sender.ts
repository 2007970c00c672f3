import type { ServiceContext } from '../../runtime/context.ts';
import type { Sender } from '../../runtime/webhook-ports.ts';

/** A sender whose code is loaded on first use: most commands send nothing. */
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
