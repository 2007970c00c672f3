import { Option } from 'commander';
import { dashed } from '../result/invocation.ts';

/** The properties of a flag that its option needs. */
export interface OptionFlag {
  kind: string;
  summary: string;
  placeholder: string;
  short: string | null;
  aliases: readonly string[];
  choices: readonly string[];
  negatable: boolean;
  /** The value is optional and only given after `=`. */
  bare: boolean;
  defaultText: string | null;
  absent(): unknown;
}

/** Receives each text of a flag in order and returns the flag's value so far. */
export type TakeText = (name: string, text: string) => unknown;

/** A Commander option for one name of a flag: all names set the same value. */
export class FlagOption extends Option {
  readonly name_in_code: string;

  constructor(names: string, flag: OptionFlag, name: string, take: TakeText) {
    super(names, flag.summary);
    this.name_in_code = name;
    // A flag's own name may start with `no-`, which Commander takes for the negation of another.
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

/** True if the token is one of the option's names: `--output`, `-o`. */
export function isTypedSo({ long, short }: Option, token: string): boolean {
  return token !== '' && (long === token || short === token);
}

/** The options of a flag: its name with its short form, each alias, and its negation. */
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
