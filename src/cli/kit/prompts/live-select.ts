/** A list to choose from whose choices change while it is open. */
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  makeTheme,
  type Theme,
  useEffect,
  useKeypress,
  usePagination,
  usePrefix,
  useRef,
  useState,
} from '@inquirer/core';
import type { Host } from '../host/host.ts';

const refresh_ms = 1000;

const hide_cursor = '\u001b[?25l';

interface LiveConfig extends Pick<Host, 'timer'> {
  message: string;
  theme: ListTheme;
  pageSize: number;
  default?: number;
  /** The current choices, always in the same number and order. */
  current(): readonly LiveChoice[];
}

interface LiveChoice {
  name: string;
  value: number;
  short: string;
  disabled?: string;
}

interface ListTheme {
  prefix: { idle: string; done: string };
  style: Pick<Theme['style'], 'message' | 'answer' | 'error' | 'highlight'> & {
    disabled: (text: string) => string;
    keysHelpTip: (keys: [key: string, action: string][]) => string;
  };
}

/** The library's select for choices that change meanwhile, such as quotes that expire: it is redrawn each second. */
export const liveSelect = createPrompt<number, LiveConfig>((config, done) => {
  const { theme, pageSize } = config;
  const { style } = theme;
  const items = config.current();
  const first = useRef(items).current;
  const available = items.findIndex(({ disabled }) => disabled === undefined);
  const [active, setActive] = useState(config.default ?? Math.max(0, available));
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [isRefused, setRefused] = useState(false);
  const [turn, setTurn] = useState(0);
  const prefix = usePrefix({ status, theme: makeTheme(theme) });
  useEffect(() => config.timer(refresh_ms, () => setTurn(turn + 1)), [turn]);
  const chosen = items[active];
  useKeypress((key) => {
    setRefused(false);
    if (isUpKey(key)) setActive(Math.max(0, active - 1));
    else if (isDownKey(key)) setActive(Math.min(items.length - 1, active + 1));
    else if (isEnterKey(key)) {
      // A choice that was available at first can still be selected: the caller explains its new state.
      if (chosen?.disabled !== undefined && first[active]?.disabled !== undefined) return setRefused(true);
      setStatus('done');
      done(active);
    }
  });
  const head = `${prefix} ${style.message(config.message, status)}`;
  const page = usePagination({
    items,
    active,
    renderItem: ({ item: { name, disabled }, isActive }) => {
      const line = `${isActive ? '❯' : ' '} ${name}${disabled === undefined ? '' : ` ${disabled}`}`;
      if (isActive) return style.highlight(line);
      return disabled === undefined ? line : style.disabled(line);
    },
    pageSize,
    loop: false,
  });
  if (status === 'done') return `${head} ${style.answer(chosen?.short ?? '')}`;
  const keys = style.keysHelpTip([
    ['↑↓', 'navigate'],
    ['⏎', 'select'],
  ]);
  const fault = isRefused ? [style.error('This choice is not available.')] : [];
  return `${[head, page, ' ', ...fault, keys].join('\n')}${hide_cursor}`;
});
