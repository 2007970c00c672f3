import type { Spinner } from '../host/host.ts';

/** Somebody sees that it turns, and a wait of half an hour costs next to nothing. */
const turn_ms = 200;

/** A spinner on stderr, without colour of its own. Ctrl+C keeps working: stdin is left alone. */
export async function terminalSpinner(text: string): Promise<Spinner> {
  const { default: ora } = await import('ora');
  // Whether there is to be one is decided; by itself it looks at the terminal and at CI again, another way.
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
