import type { Host } from '../../kit/host/host.ts';

/** Tracks whether a server is reachable. */
export interface Outage {
  /** The number of responses so far. */
  answers(): number;
  answered(): void;
  /**
   * Records an attempt without a response that started at `answersBefore` responses. Returns true if the server is
   * unreachable; false if it answered other attempts since, so that only this one failed.
   */
  silent(answersBefore: number, reason: string): boolean;
  /** Waits; during an outage, until the next response at the latest. */
  pause(milliseconds: number): Promise<void>;
  /** Ends all pauses. */
  end(): void;
}

interface OutageOptions {
  timer: Host['timer'];
  /** Called once when an outage starts and once when it is over. */
  onStart(reason: string): void;
  onEnd(): void;
}

export function createOutage({ timer, onStart, onEnd }: OutageOptions): Outage {
  const pausing = new Set<() => void>();
  let answers = 0;
  let isOn = false;
  const end = () => {
    for (const resume of [...pausing]) resume();
  };
  return {
    answers: () => answers,
    answered: () => {
      answers += 1;
      if (!isOn) return;
      isOn = false;
      onEnd();
      end();
    },
    silent: (answersBefore, reason) => {
      if (answers > answersBefore) return false;
      if (!isOn) onStart(reason);
      isOn = true;
      return true;
    },
    pause: (milliseconds) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = timer(milliseconds, resolve);
      pausing.add(resolve);
      return promise.finally(() => {
        cancel();
        pausing.delete(resolve);
      });
    },
    end,
  };
}
