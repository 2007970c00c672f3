/** The letters of Ctrl+C, Ctrl+D and Ctrl+Z, which a terminal gives as they are while keys are read. */
const ctrlC = '\u0003';
const ctrlD = '\u0004';
const ctrlZ = '\u001a';
const sequence = '\u001b';
const showCursor = '\u001b[?25h';

/**
 * Calls back for each key that is pressed in the terminal, until what it returns is called, which leaves the terminal
 * as it was. Ctrl+C and Ctrl+D interrupt the process and Ctrl+Z stops it, as they do where no keys are read.
 */
export function terminalKeys(pressed: (key: string) => void): () => void {
  const input = process.stdin;
  let isOpen = true;
  const restore = () => {
    if (!isOpen) return;
    isOpen = false;
    input.off('data', read).pause();
    input.setRawMode(false);
    process.off('SIGCONT', goOn).off('exit', restore);
    process.stderr.write(showCursor);
  };
  const goOn = () => {
    if (isOpen) input.setRawMode(true);
  };
  const take = (key: string) => {
    if (key === ctrlC || key === ctrlD) {
      restore();
      process.kill(process.pid, 'SIGINT');
    } else if (key === ctrlZ) pause(input);
    else pressed(key);
  };
  const read = (chunk: Buffer | string) => {
    const text = String(chunk);
    // An arrow or a function key is no letter, though letters stand in it.
    if (text.startsWith(sequence)) return;
    for (const key of text) if (isOpen) take(key);
  };
  process.on('SIGCONT', goOn).once('exit', restore);
  input.setRawMode(true);
  input.on('data', read).resume();
  return restore;
}

/** The shell gets its terminal back until it lets the process go on. */
function pause(input: NodeJS.ReadStream): void {
  if (process.platform === 'win32') return;
  input.setRawMode(false);
  // All of its group, as the terminal would: a shell waits until each program of a pipeline has stopped.
  process.kill(0, 'SIGTSTP');
}
