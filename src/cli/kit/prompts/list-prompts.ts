import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isUpKey,
  useEffect,
  useKeypress,
  usePagination,
  useRef,
  useState,
} from '@inquirer/core';
import type { Choice } from '../host/prompts.ts';
import { displayWidth, oneLine } from '../output/sanitize.ts';
import { type Display, faultRows, questionRows, useView } from './display.ts';
import { filterChoices } from './filter-choices.ts';
import { wrapLine } from './wrap-line.ts';

interface ListConfig extends Display {
  message: string;
  /** Whether Esc goes back. */
  back: boolean;
}

interface SelectConfig extends ListConfig {
  /** The current choices, always in the same number and order. */
  current(): readonly Choice<unknown>[];
  /** Whether the choices change while the question is open. */
  isLive: boolean;
  /** The index of the choice that is active first. */
  initial: number;
}

/** The keys of a prompt and their actions. */
type Keys = readonly (readonly [key: string, action: string])[];

const move_keys: Keys = [['↑↓', 'move']];
const back_keys: Keys = [['esc', 'back']];
const hide_cursor = '\u001b[?25l';
/** The limits of the number of choices displayed at once. */
const max_choices = 12;
const min_rows = 3;
/** The rows for the question, the description and the keys. */
const other_rows = 6;
const refresh_ms = 1000;
/** After this time without a key, typing starts another search. */
const search_ms = 700;

/**
 * Asks for one choice of a list; resolves with its index. Typing moves to the choice that starts with the typed text.
 */
export const selectPrompt = createPrompt<number, SelectConfig>((config, done) => {
  const first = useRef(config.current()).current;
  const [active, setActive] = useState(config.initial);
  const [fault, setFault] = useState<string | null>(null);
  const stopSearch = useRef(() => {});
  useRefresh(config);
  useEffect(() => () => stopSearch.current(), []);
  const choices = config.current();
  useKeypress((key, rl) => {
    stopSearch.current();
    setFault(null);
    if (isEnterKey(key)) {
      // A choice that was available at first can still be selected: the caller explains its new state.
      const reason = first[active]?.disabled === undefined ? undefined : choices[active]?.disabled;
      if (reason === undefined) done(active);
      else setFault(`Not available: ${oneLine(reason)}`);
    } else if (isUpKey(key) || isDownKey(key)) {
      rl.clearLine(0);
      setActive(moved(active, isUpKey(key) ? -1 : 1, choices.length));
    } else {
      setActive(indexOfTyped(choices, rl.line) ?? active);
      stopSearch.current = config.timer(search_ms, () => rl.clearLine(0));
    }
  });
  const keys: Keys = [...move_keys, ['enter', 'select'], ...(config.back ? back_keys : [])];
  const rows = useListRows(config, { choices, active });
  const content = [
    ...questionRows(config, config.message),
    ...rows,
    ...descriptionRows(config, choices[active]),
    ...faultRows(config, fault),
    ...keyRows(config, keys),
  ];
  return useView(config, withHiddenCursor(content));
});

/** Asks for any number of choices; resolves with their indexes. */
export const checkboxPrompt = createPrompt<number[], ListConfig & { choices: readonly Choice<unknown>[] }>(
  (config, done) => {
    const { choices, palette } = config;
    const [active, setActive] = useState(0);
    const [checked, setChecked] = useState<readonly number[]>([]);
    const all = choices.flatMap(({ disabled }, at) => (disabled === undefined ? [at] : []));
    const others = (of: readonly number[]) => all.filter((at) => !of.includes(at));
    useKeypress((key) => {
      if (isEnterKey(key)) done(all.filter((at) => checked.includes(at)));
      else if (isUpKey(key) || isDownKey(key))
        setActive(moved(active, isUpKey(key) ? -1 : 1, choices.length));
      else if (isSpaceKey(key) && all.includes(active))
        setChecked(checked.includes(active) ? checked.filter((at) => at !== active) : [...checked, active]);
      else if (key.name === 'a') setChecked(checked.length === all.length ? [] : all);
      else if (key.name === 'i') setChecked(others(checked));
    });
    const keys: Keys = [
      ...move_keys,
      ...([
        ['space', 'check'],
        ['a', 'all'],
        ['i', 'invert'],
        ['enter', 'confirm'],
      ] as const),
      ...(config.back ? back_keys : []),
    ];
    const mark = (at: number) => (checked.includes(at) ? palette.good('◉ ') : '◯ ');
    const rows = useListRows(config, { choices, active, mark });
    const content = [
      ...questionRows(config, config.message),
      ...rows,
      ...descriptionRows(config, choices[active]),
      ...keyRows(config, keys),
    ];
    return useView(config, withHiddenCursor(content));
  },
);

interface SearchConfig extends ListConfig {
  choices: readonly Choice<string>[];
  /** Returns the fault of a typed text that is not a choice, or null. */
  check(text: string): string | null;
}

/** Asks for one of a list that typing filters; resolves with its value, or with the typed text. */
export const searchPrompt = createPrompt<string, SearchConfig>((config, done) => {
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const [fault, setFault] = useState<string | null>(null);
  const choices = filterChoices(config.choices, typed, config.check);
  useKeypress((key, rl) => {
    setFault(null);
    if (isEnterKey(key)) {
      const chosen = choices[active];
      if (chosen !== undefined && chosen.disabled === undefined) return done(chosen.value);
      // Enter has emptied the line.
      rl.write(typed);
      setFault(chosen?.disabled === undefined ? null : oneLine(chosen.disabled));
    } else if (isUpKey(key) || isDownKey(key)) {
      setActive(moved(active, isUpKey(key) ? -1 : 1, choices.length));
    } else if (rl.line !== typed) {
      setTyped(rl.line);
      setActive(0);
    }
  });
  const head = questionRows(config, config.message);
  const content = [...head.slice(0, -1), `${head.at(-1)}${oneLine(typed)}`];
  const bottom = [
    ...useListRows(config, { choices, active }),
    ...descriptionRows(config, choices[active]),
    ...faultRows(config, fault),
    ...keyRows(config, [...move_keys, ['enter', 'select']]),
  ];
  return useView(config, content, bottom);
});

/** Renders a live list again each second. */
function useRefresh({ isLive, timer }: SelectConfig): void {
  const [turn, setTurn] = useState(0);
  useEffect(() => (isLive ? timer(refresh_ms, () => setTurn(turn + 1)) : undefined), [turn]);
}

function moved(active: number, by: number, count: number): number {
  return count === 0 ? 0 : (active + by + count) % count;
}

/** The index of the choice with this number, or of the first available one that starts with the text. */
function indexOfTyped(choices: readonly Choice<unknown>[], typed: string): number | null {
  const isNumber = /^[1-9]\d*$/.test(typed);
  const start = typed.toLowerCase();
  const found = choices.findIndex(
    ({ name, disabled }, at) =>
      disabled === undefined && (isNumber ? at === Number(typed) - 1 : name.toLowerCase().startsWith(start)),
  );
  return typed === '' || found === -1 ? null : found;
}

interface List {
  choices: readonly Choice<unknown>[];
  active: number;
  /** The marker of a choice. */
  mark?: (at: number) => string;
}

/**
 * The rows of the choices around the active one, as many as the screen has room for, and the position of the active one
 * if there are more.
 */
function useListRows({ screen, palette }: Display, { choices, active, mark = () => '' }: List): string[] {
  const { columns } = screen;
  const text = ({ name, disabled }: Choice<unknown>) =>
    oneLine(disabled === undefined ? name : `${name} (${disabled})`);
  const rowsOfChoice = (choice: Choice<unknown>, at: number, isActive = false) =>
    wrapLine(`${isActive ? '❯' : ' '} ${mark(at)}${text(choice)}`, columns, 4);
  const widths = choices.map((choice) => displayWidth(text(choice)) + 4);
  const most = max_choices * Math.ceil(Math.max(0, ...widths) / columns);
  const room = screen.rows - other_rows;
  const count = choices.reduce((sum, choice, at) => sum + rowsOfChoice(choice, at).length, 0);
  const isLong = count > Math.max(min_rows, Math.min(most, room));
  const pageSize = Math.max(min_rows, Math.min(most, isLong ? room - 1 : room));
  const page = usePagination({
    items: choices,
    active,
    renderItem: ({ item, index, isActive }) => {
      const rows = rowsOfChoice(item, index, isActive);
      const paint = isActive
        ? palette.busy
        : item.disabled === undefined
          ? (row: string) => row
          : palette.dim;
      return rows.map(paint).join('\n');
    },
    pageSize,
    loop: false,
  });
  const rows = page === '' ? [] : page.split('\n');
  return isLong ? [...rows, palette.dim(`  ${active + 1} of ${choices.length}`)] : rows;
}

function descriptionRows({ screen, palette }: Display, choice: Choice<unknown> | undefined): string[] {
  const { description } = choice ?? {};
  return description === undefined ? [] : wrapLine(palette.dim(oneLine(description)), screen.columns);
}

function keyRows({ screen, palette }: Display, keys: Keys): string[] {
  const text = keys
    .map(([key, action]) => `${palette.strong(key)} ${palette.dim(action)}`)
    .join(palette.dim(' • '));
  return wrapLine(text, screen.columns);
}

/** The hidden cursor is put into an empty row of its own, which a terminal does not reflow. */
function withHiddenCursor(rows: readonly string[]): string[] {
  return [...rows, ` ${hide_cursor}`];
}
