/** What became of a line. */
export type Result = 'works' | 'in part' | 'refused' | 'unknown' | 'not found' | 'timeout';

const meanings: Readonly<Record<Result, string>> = {
  works: 'The command does what it says. The exit code is that of the outcome.',
  'in part': 'The command does what it can, and says on stderr what the service left out or ignored.',
  refused: 'The service does not have the operation. Nothing was changed, and the exit code is 6.',
  unknown: 'The response was lost. Nothing is sent again; the error says how to look. The exit code is 7.',
  'not found': 'The service says that there is no such record. The exit code is 5.',
  timeout: 'The command waited for something that the service did not show in time. The exit code is 8.',
};

const intro = `# Compatibility

How each command behaves at a delivery service that waybill did not make.

waybill works with any service that has these operations: creating orders, creating routes, requesting and listing
quotes, dispatching a route, and creating, listing and reading deliveries. Log in with the mode of the key, because such
a service may not say it:

\`\`\`console
$ waybill login --base-url https://deliveries.example --mode test
\`\`\`

\`login\` finds out what else the service has, with requests that change nothing, and stores it in the profile.
\`waybill whoami\` and \`waybill doctor\` show what is not available. Run \`waybill login\` again after the service has
changed.

## Responses

- Records need an ID, and deliveries a status. Other fields may be missing: tables leave them empty, and JSON leaves them
  out. Fields that waybill does not know stay in JSON.
- Amounts are in cents. They may be in dollars instead: an amount with decimals, such as \`12.5\` or \`"12.00"\`, can only be
  that. Then all amounts of the response are, because JSON writes 12.0 as \`12\`, and so are those of all later responses:
  the profile keeps it, \`waybill whoami\` shows "amounts in cents" as not available, and amounts are sent in dollars, too.
  A note says when this is found out, and when whole amounts are read in dollars without decimals beside them. Until a
  service has shown decimals, whole amounts are cents. waybill shows and sends cents, whatever the service has. An
  amount with more decimals than its currency counts as missing.
- Before the first amount is sent, the latest 20 deliveries are looked at. If the service has none, the amount is sent in
  cents, and a note says so. \`waybill login --amounts dollars\`, or \`cents\`, stores the unit in the profile: it holds for
  every amount, and nothing is looked at.
- Amounts that were sent before a service showed decimals were in cents. If that was a tip or a limit in the same run, the
  look-up that shows it is an error, and nothing is dispatched.
- A status may be in upper or lower case, with dashes or spaces: \`Enroute-Dropoff\` is \`enroute_dropoff\`, and
  \`PICKED UP\` is \`pickup_complete\`, in output, filters and waits. If the name of a group is used as a status, such as
  \`IN TRANSIT\`, \`--status in_transit\` finds it.
- A list may be \`{ "data": [...], "has_more", "next_cursor" }\`, \`{ "data": [...] }\` or an array. Its next page is also
  found by a \`Link\` header with \`rel="next"\`, or a field such as \`next\` with a URL, if that is a page of the same list at
  the same host. \`--limit\` is kept if the service ignores it.
- A created record may stand alone, within an object such as \`{ "order": {...} }\` or \`{ "data": {...} }\`, or in a list of one.
- Errors may have any shape. The HTTP status selects the exit code.
- If the service ignores a filter, waybill reads up to 20 pages and filters them itself. A record that does not have the
  reference, phone number or ID that you asked for is never used.
- If the service has more records and no way to read them, or sends what looks like a full page and does not say whether
  there are more, a note says that the list may be incomplete. A delivery that was not found in such a list, or on the
  20 pages, may exist: the exit code is then 6 and the code \`search_incomplete\`, not 5.
- An accepted request is never an error. If its response cannot be read, the exit code is 0 and a warning says how to
  look up the result.

## Requests

An order is sent as \`{ "orders": [...] }\`. If the service refuses that as invalid, a single order without auto dispatch is
sent as the body itself, and if the service then asks for \`order\`, as \`{ "order": {...} }\`. A refused request has no
effect, so that nothing is created twice. The paths are \`/orders/create\`, \`/v2/orders/create\` and \`/v2/orders\`, in this
order, until one exists.

Without idempotency keys, a request that creates something is sent once. If its response is lost, the exit code is 7, the
error code is \`outcome_unknown\`, and the error names the commands that show whether the request was done.
\`--idempotency-key\` is refused with exit code 6, because a repeated command would create everything again. \`ship\` and
\`orders create\` look in the deliveries of the last 24 hours for the reference of an order, if the service does not list
its orders, and refuse a second one without \`--allow-duplicate-ref\`.

`;

/** The page of the guide: what became of each command at each kind of service. */
export function pageOf(results: ReadonlyMap<string, ReadonlyMap<string, Result>>): string {
  const columns = [...results.keys()];
  const [first] = results.values();
  const rows = [...(first?.keys() ?? [])]
    .sort()
    .map((name) => [`\`${name}\``, ...columns.map((column) => results.get(column)?.get(name) ?? '')]);
  const used = new Set([...results.values()].flatMap((each) => [...each.values()]));
  const words = Object.entries(meanings).filter(([word]) => [...used].some((each) => each === word));
  return [
    intro,
    '## Results\n\nEach command was run against eleven services. Those with few fields leave out what they may. The last',
    '\nfour answer a request that changes something in a way that cannot be read, or lose the response.\n\n',
    markdownTable(['Result', 'Meaning'], words),
    '\n',
    markdownTable(['Command', ...columns], rows),
  ].join('');
}

/** A table in Markdown. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
