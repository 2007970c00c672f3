import { EventEmitter } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { terminalKeys } from '../../../../src/cli/kit/system/terminal.ts';

const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
afterEach(() => {
  vi.restoreAllMocks();
  Object.defineProperty(process, 'stdin', own);
});

/** A terminal with simulated key presses; it records its modes. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new EventEmitter(), {
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
    resume: () => input,
    pause: () => input,
  });
  Object.defineProperty(process, 'stdin', { value: input, configurable: true });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  return { modes, press: (key: string) => input.emit('data', key) };
}

test('Ctrl+Z restores the terminal and stops the whole process group', () => {
  const { modes, press } = terminal();
  const sent: unknown[][] = [];
  vi.spyOn(process, 'kill').mockImplementation((...call) => {
    sent.push(call);
    return true;
  });
  const heard: string[] = [];
  const restore = terminalKeys((key) => heard.push(key));
  press('r');
  press('\u001a');
  expect(heard).toEqual(['r']);
  expect(modes).toEqual([true, false]);
  expect(sent).toEqual([[0, 'SIGTSTP']]);
  restore();
});
