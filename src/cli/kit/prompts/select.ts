import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  makeTheme,
  useEffect,
  useKeypress,
  usePagination,
  usePrefix,
  useRef,
  useState,
} from '@inquirer/core';
import type { Place } from './terminal-prompts.ts';

interface Item<T> {
  name: string;
  value: T;
  disabled: string | false;
}

export interface Changing<T> {
  message: string;
  choices: readonly Item<T>[];
  /** The value of the choice that the cursor stands at first. */
  proposed: T | undefined;
  pageSize: number;
  /** The choices as they are by now. */
  current(): readonly Item<T>[];
}

/** Between two looks at the choices. */
const turn_ms = 1000;
const hideCursor = '\u001b[?25l';

/** One of a list whose choices are shown as they are by now, each second. */
export function changingSelect<T>(question: Changing<T>, place: Place): Promise<T> {
  const prompt = createPrompt<T, Changing<T>>((config, done) => {
    const [isOpen, setOpen] = useState(true);
    const [active, setActive] = useState(() => startOf(config));
    useRedraw();
    const items = config.current();
    useKeypress((key) => {
      const chosen = items[active];
      // What could be taken when it was first shown still can: who asked says what became of it since.
      const isOpenTo = (item: Item<T> | undefined) => item?.disabled === false;
      if (isEnterKey(key) && chosen !== undefined && (isOpenTo(chosen) || isOpenTo(config.choices[active]))) {
        setOpen(false);
        done(chosen.value);
      } else if (isUpKey(key)) setActive((active + items.length - 1) % items.length);
      else if (isDownKey(key)) setActive((active + 1) % items.length);
    });
    return useView(config, { items, active, isOpen });
  });
  return prompt(question, place);
}

function startOf<T>({ choices, proposed }: Changing<T>): number {
  const usable = choices.findIndex(({ disabled }) => disabled === false);
  const at = choices.findIndex(({ value, disabled }) => value === proposed && disabled === false);
  return at === -1 ? Math.max(0, usable) : at;
}

/** Draws again each second. */
function useRedraw(): void {
  const [, setTurn] = useState(0);
  const turns = useRef(0);
  useEffect(() => {
    const timer = setInterval(() => {
      turns.current += 1;
      setTurn(turns.current);
    }, turn_ms);
    return () => clearInterval(timer);
  }, []);
}

interface View<T> {
  items: readonly Item<T>[];
  active: number;
  isOpen: boolean;
}

function useView<T>({ message, pageSize }: Changing<T>, { items, active, isOpen }: View<T>): string {
  const status = isOpen ? 'idle' : 'done';
  const theme = makeTheme({});
  const prefix = usePrefix({ status, theme });
  const head = `${prefix} ${theme.style.message(message, status)}`;
  const page = usePagination({
    items,
    active,
    renderItem: ({ item, isActive }) => {
      const text = `${isActive ? '❯' : ' '} ${item.name}${item.disabled === false ? '' : ` (${item.disabled})`}`;
      return isActive ? theme.style.highlight(text) : text;
    },
    pageSize,
    loop: false,
  });
  if (!isOpen) return `${head} ${theme.style.answer(items[active]?.name ?? '')}`;
  return `${head}\n${page}${hideCursor}`;
}
