# Completion of waybill, made from its command tree:
# `waybill completion fish` prints it.

function __waybill_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l current (string unescape -- $typed 2>/dev/null)
    or set current (string replace -r -- '^["\']' '' $typed)
    set -l lines ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case values
            string join \n -- $lines[2..-1]
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
            string join \n orders routes quotes batches deliveries events webhooks charges disputes stores couriers drivers sandbox profiles config keys admin audit secrets start new ship dispatch listen today report notes board track serve migrate backup restore doctor login logout whoami completion api mcp openapi commands help find explain where proof watch edit note cancel retry wait reschedule assign
        case '2 orders'
            string join \n create import list get wait attempts cancel
        case '2 routes'
            string join \n create list get delete quote
        case '2 quotes'
            string join \n list wait
        case '2 batches'
            string join \n list get wait cancel
        case '2 deliveries'
            string join \n list get explain watch wait quote create initiate assign report unlock edit reschedule cancel retry note dispute
        case '2 events'
            string join \n list get tail resend
        case '2 webhooks'
            string join \n create list get update delete rotate-secret test attempts verify
        case '2 charges'
            string join \n list
        case '2 disputes'
            string join \n list get resolve
        case '2 stores'
            string join \n create list get update pause resume delete
        case '2 couriers'
            string join \n list connect check enable disable remove
        case '2 drivers'
            string join \n add list get update link prices remove
        case '2 sandbox'
            string join \n clock advance scenarios scenario steps step provider reset
        case '2 profiles'
            string join \n list use create delete
        case '2 config'
            string join \n list get set unset
        case '2 keys'
            string join \n create list revoke
        case '2 admin'
            string join \n accounts erase export clean failed
        case '2 audit'
            string join \n list
        case '2 secrets'
            string join \n status rotate
    end
end

complete -c waybill -f -k -a '(__waybill_complete)'
