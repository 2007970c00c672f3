import type { Spinner } from '../host/host.ts';

/** The interval is short enough to look alive, and costs little during a wait of half an hour. */
const turn_ms = 200;

/** A spinner on stderr without its own colors. stdin is not used, so that Ctrl+C keeps working. */
export async function terminalSpinner(text: string): Promise<Spinner> {
  const { default: ora } = await import('ora');
  // The caller has decided to show it; by default the library checks the terminal and CI in its own way.
  const options = { stream: process.stderr, discardStdin: false, color: false, isEnabled: true } as const;
  const spinner = ora({ text, interval: turn_ms, ...options }).start();
  return {
    get text() {
      return spinner.text;
    },
    set text(next) {
      spinner.text = next;
    },
    stop: () => {
      spinner.stop();
    },
  };
}
