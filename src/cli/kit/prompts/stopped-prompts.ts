/** Prompts that Ctrl+Z stops and `fg` continues. */
import { stripVTControlCharacters } from 'node:util';

/** Calls back each time the process goes on after it was stopped, until the returned function is called. */
export type OnContinued = (continued: () => void) => () => void;

/**
 * Ctrl+Z stops all processes of the job, and not this one alone: a script or npm that has started it would wait for it
 * and keep the terminal. Readline only ends the raw mode and sends the signal to its own process.
 */
export function stoppingJob(timer: (milliseconds: number, expired: () => void) => () => void): OnContinued {
  const listeners = new Set<() => void>();
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    process.off('SIGTSTP', stop);
    process.kill(0, 'SIGTSTP');
    // Nothing stops a process without a shell that could continue it, as in a container: it goes on.
    timer(wait_ms, () => process.kill(process.pid, 'SIGCONT'));
  };
  const goOn = () => {
    if (!isStopped) return;
    isStopped = false;
    process.on('SIGTSTP', stop);
    // Readline, which listens too, pauses its input first.
    queueMicrotask(() => {
      for (const continued of listeners) continued();
    });
  };
  return (continued) => {
    if (listeners.size === 0) process.on('SIGTSTP', stop).on('SIGCONT', goOn);
    listeners.add(continued);
    return () => {
      listeners.delete(continued);
      if (listeners.size === 0) process.off('SIGTSTP', stop).off('SIGCONT', goOn);
    };
  };
}

const wait_ms = 20;

type Output = NodeJS.WritableStream & { columns?: number; rows?: number };

const esc = '\u001b';

/** What a prompt writes before its next frame: the cursor goes back, and the lines of the last one are erased. */
const erasure = new RegExp(`^(?:${esc}\\[\\d*[ABGK])+`);

/** An output on which the last frame of a prompt can be drawn again, below what a shell has written since. */
export function redrawable(output: Output): { output: Output; redraw: () => void } {
  let frame = '';
  const write = (text: string | Uint8Array) => {
    if (stripVTControlCharacters(String(text)).trim() !== '') frame = String(text).replace(erasure, '');
    return output.write(text);
  };
  const get = (target: Output, name: string | symbol) => {
    const value: unknown = Reflect.get(target, name);
    if (name === 'write') return write;
    return typeof value === 'function' ? value.bind(target) : value;
  };
  return { output: new Proxy(output, { get }), redraw: () => output.write(frame) };
}
