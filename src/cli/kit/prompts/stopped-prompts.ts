/** Prompts that Ctrl+Z stops and `fg` continues, which draws the open prompt again (`redrawable`). */
import { stripVTControlCharacters } from 'node:util';
import type { Host } from '../host/host.ts';

/** Registers a callback for each time the stopped process continues. The returned function removes it. */
export type OnContinued = (continued: () => void) => () => void;

/**
 * On Ctrl+Z readline stops its own process only. This stops the whole job, as a script or npm that started the process
 * would otherwise wait for it and keep the terminal.
 */
export function stoppingJob(timer: Host['timer']): OnContinued {
  const listeners = new Set<() => void>();
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    process.off('SIGTSTP', stop);
    process.kill(0, 'SIGTSTP');
    // Without a shell that could continue it, as in a container, the kernel does not stop a process: it continues here.
    timer(unstopped_ms, () => process.kill(process.pid, 'SIGCONT'));
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

/** After this time a process that still runs was not stopped. */
const unstopped_ms = 20;

type Output = NodeJS.WritableStream & { columns?: number; rows?: number };

const esc = '\u001b';

/** The control sequences at the start of a frame, which move the cursor up and erase the last frame. */
const erasure = new RegExp(`^(?:${esc}\\[\\d*[ABGK])+`);

/** Wraps an output so that the last frame of a prompt can be drawn again, below the lines of the shell. */
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
