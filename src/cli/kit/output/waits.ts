import type { Progress } from '../../session/context.ts';
import type { OutputSettings } from './format.ts';
import { type ProgressHost, progressOn } from './progress.ts';

/** The waits of a line, of which one at a time is shown. */
export interface Waits {
  /** What the command itself waits for. */
  open(text: string): Promise<Progress>;
  /** What else takes its time meanwhile: shown only while the command shows nothing itself. */
  aside(text: string): Promise<Progress>;
}

/** Where there is no terminal, whoever looks for a fault is told of what else takes its time. */
export function createWaits(
  host: ProgressHost,
  output: Pick<OutputSettings, 'quiet' | 'accessible'>,
  { debug, say }: { debug: boolean; say(text: string): void },
): Waits {
  let open = 0;
  let aside: Progress | null = null;
  const show = (text: string) => progressOn(host, output, text);
  const clear = () => {
    aside?.stop();
    aside = null;
  };
  return {
    open: async (text) => {
      open += 1;
      clear();
      const shown = await show(text);
      let isOpen = true;
      return {
        say: shown.say,
        stop: () => {
          if (!isOpen) return;
          isOpen = false;
          open -= 1;
          shown.stop();
        },
      };
    },
    aside: async (text) => {
      if (debug && !host.stderr.isTerminal) say(`* ${text}`);
      if (open > 0 || aside !== null) return unseen;
      const shown = await show(text);
      // While it was made, the command may have begun a wait of its own.
      if (open > 0 || aside !== null) shown.stop();
      else aside = shown;
      return { say: () => {}, stop: clear };
    },
  };
}

const unseen: Progress = { say: () => {}, stop: () => {} };
