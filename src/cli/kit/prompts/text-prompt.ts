import { createPrompt, isBackspaceKey, isEnterKey, isTabKey, useKeypress, useState } from '@inquirer/core';
import { oneLine } from '../output/sanitize.ts';
import { type Display, faultRows, questionRows, useView } from './display.ts';

interface TextConfig extends Display {
  message: string;
  /** The answer if nothing is typed. */
  initial: string;
  check(text: string): string | null;
}

/** Asks for a line of text. Tab puts the proposed answer into the line, Backspace removes it. */
export const textPrompt = createPrompt<string, TextConfig>((config, done) => {
  const [typed, setTyped] = useState('');
  const [proposed, setProposed] = useState(config.initial);
  const [fault, setFault] = useState<string | null>(null);
  useKeypress((key, rl) => {
    if (isEnterKey(key)) {
      const answer = typed || proposed;
      const found = config.check(answer);
      if (found === null) return done(answer);
      // Enter has emptied the line.
      rl.write(typed);
      setFault(found);
    } else if (isBackspaceKey(key) && typed === '') setProposed('');
    else if (isTabKey(key) && typed === '') {
      rl.clearLine(0);
      rl.write(proposed);
      setTyped(proposed);
    } else {
      setTyped(rl.line);
      setFault(null);
    }
  });
  const proposal = typed === '' && proposed !== '' ? config.palette.dim(`(${oneLine(proposed)}) `) : '';
  const head = questionRows(config, config.message, proposal);
  const content = [...head.slice(0, -1), `${head.at(-1)}${oneLine(typed)}`];
  return useView(config, content, faultRows(config, fault));
});
