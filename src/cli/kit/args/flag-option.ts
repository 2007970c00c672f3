import { Option } from 'commander';
import { dashed } from '../result/invocation.ts';

/** What an option needs to know of the flag that it is. */
export interface OptionFlag {
  kind: string;
  summary: string;
  placeholder: string;
  short: string | null;
  aliases: readonly string[];
  choices: readonly string[];
  negatable: boolean;
  /** May stand without a value; then one comes only after `=`. */
  bare: boolean;
  defaultText: string | null;
  absent(): unknown;
}

/** Takes each text of a flag, in the order of the line, and gives the flag's value so far. */
export type TakeText = (name: string, text: string) => unknown;

/** An option of Commander's for one of the names of a flag: all of them set the same value. */
export class FlagOption extends Option {
  readonly name_in_code: string;

  constructor(names: string, flag: OptionFlag, name: string, take: TakeText) {
    super(names, flag.summary);
    this.name_in_code = name;
    // A flag's own name may begin with `no-`, which Commander takes for the denial of another.
    const isDenial = this.negate && this.name() !== dashed(name);
    this.negate = isDenial;
    this.preset(isDenial ? 'false' : 'true');
    if (flag.choices.length > 0) this.choices(flag.choices);
    this.argParser((text) => take(name, text));
  }

  override attributeName(): string {
    return this.name_in_code;
  }
}

/** Whether an option is typed so: `--output`, `-o`. */
export function isTypedSo({ long, short }: Option, token: string): boolean {
  return token !== '' && (long === token || short === token);
}

/** The options of a flag: by its name and its letter, by each other name, and its denial. */
export function optionsOf(name: string, flag: OptionFlag, take: TakeText): FlagOption[] {
  const long = dashed(name);
  const value = flag.kind === 'switch' ? '' : flag.bare ? ` [${flag.placeholder}]` : ` <${flag.placeholder}>`;
  const short = flag.short === null ? '' : `-${flag.short}, `;
  const main = new FlagOption(`${short}--${long}${value}`, flag, name, take);
  main.default(flag.absent(), flag.defaultText ?? undefined);
  const others = flag.aliases.map((alias) => new FlagOption(`--${alias}${value}`, flag, name, take));
  const denial = flag.negatable ? [new FlagOption(`--no-${long}`, flag, name, take)] : [];
  return [main, ...[...others, ...denial].map((option) => option.hideHelp())];
}
