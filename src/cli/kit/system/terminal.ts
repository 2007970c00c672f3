/** The terminal of this process: key presses and the spinner. */
import type { Spinner } from '../host/host.ts';

/** The characters of Ctrl+C, Ctrl+D and Ctrl+Z, which are read as input in raw mode. */
const ctrlC = '\u0003';
const ctrlD = '\u0004';
const ctrlZ = '\u001a';
const sequence = '\u001b';
const show_cursor = '\u001b[?25h';

/**
 * Calls back for each key pressed, until the returned function is called, which restores the terminal. Ctrl+C and
 * Ctrl+D interrupt the process and Ctrl+Z suspends it, as without hotkeys.
 */
export function terminalKeys(pressed: (key: string) => void): () => void {
  const input = process.stdin;
  let isOpen = true;
  const restore = () => {
    if (!isOpen) return;
    isOpen = false;
    input.off('data', read).pause();
    input.setRawMode(false);
    process.off('SIGCONT', resumeReading).off('exit', restore);
    process.stderr.write(show_cursor);
  };
  const resumeReading = () => {
    if (isOpen) input.setRawMode(true);
  };
  const handleKey = (key: string) => {
    if (key === ctrlC || key === ctrlD) {
      restore();
      process.kill(process.pid, 'SIGINT');
    } else if (key === ctrlZ) suspend(input);
    else pressed(key);
  };
  const read = (chunk: Buffer | string) => {
    const text = String(chunk);
    // Arrow and function keys are sequences that contain letters.
    if (text.startsWith(sequence)) return;
    for (const key of text) if (isOpen) handleKey(key);
  };
  process.on('SIGCONT', resumeReading).once('exit', restore);
  input.setRawMode(true);
  input.on('data', read).resume();
  return restore;
}

/** Restores the terminal for the shell while the process is suspended. */
function suspend(input: NodeJS.ReadStream): void {
  if (process.platform === 'win32') return;
  input.setRawMode(false);
  // Suspends the whole group, as the terminal would: a shell waits for each program of a pipeline.
  process.kill(0, 'SIGTSTP');
}

/** The interval is short enough to look alive, and costs little during a wait of half an hour. */
const frame_interval_ms = 200;

/**
 * A spinner on stderr without its own colors. stdin is not used, so that Ctrl+C keeps working and what is typed goes to
 * the shell. The cursor stays, so that a stopped or killed process leaves the terminal as it was.
 */
export async function terminalSpinner(text: string): Promise<Spinner> {
  const { default: ora } = await import('ora');
  // The caller has decided to show it; by default the library checks the terminal and CI in its own way.
  const options = { stream: process.stderr, discardStdin: false, hideCursor: false } as const;
  const look = { color: false, isEnabled: true, interval: frame_interval_ms } as const;
  const spinner = ora({ text, ...look, ...options }).start();
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
