import type { Host } from '../../kit/host/host.ts';

/** Whether a server answers, as far as is known. */
export interface Outage {
  /** How many answers there were. */
  answers(): number;
  answered(): void;
  /**
   * An attempt got no answer, which there were so many before. True where that is so of all attempts; where others
   * were answered meanwhile, it is about this one alone.
   */
  silent(answersBefore: number, reason: string): boolean;
  /** Waits, where no answer came before, until there is one at the longest. */
  pause(milliseconds: number): Promise<void>;
  /** Ends all pauses. */
  end(): void;
}

interface OutageOptions {
  timer: Host['timer'];
  /** Hears once when it begins and once when it is over. */
  began(reason: string): void;
  over(): void;
}

export function createOutage({ timer, began, over }: OutageOptions): Outage {
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
      over();
      end();
    },
    silent: (answersBefore, reason) => {
      if (answers > answersBefore) return false;
      if (!isOn) began(reason);
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
