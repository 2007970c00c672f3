import type { Words } from './words.ts';

/** For fish from 3.0 on. */
export function fishScript({ root, groups }: Words, head: string): string {
  const branches = groups.map(
    ([name, verbs]) => `        case '2 ${name}'\n            string join \\n ${verbs.join(' ')}`,
  );
  return `${head}
function __waybill_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l current (string unescape -- $typed 2>/dev/null)
    or set current (string replace -r -- '^["\\']' '' $typed)
    set -l lines ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case values
            string join \\n -- $lines[2..-1]
        case files
            set -l head (string match -r -- '^--[^=]+=' "$current")
            for path in (__fish_complete_path (string replace -- "$head" '' "$current"))
                echo -- "$head$path"
            end
        case '*'
            __waybill_words $words
    end
end

# The commands, where the program gives no answer.
function __waybill_words
    switch (count $argv)" $argv[2]"
        case '1 *'
            string join \\n ${root.join(' ')}
${branches.join('\n')}
    end
end

complete -c waybill -f -k -a '(__waybill_complete)'
`;
}
