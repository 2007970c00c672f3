import type { Spinner } from '../host.ts';

/** A spinner on stderr, without colour of its own. Ctrl+C keeps working: stdin is left alone. */
export async function terminalSpinner(text: string): Promise<Spinner> {
  const { default: ora } = await import('ora');
  const spinner = ora({ text, stream: process.stderr, discardStdin: false, color: false }).start();
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
