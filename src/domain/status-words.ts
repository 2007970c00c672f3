/** Words for statuses whose names do not tell people what they mean. */
const statusWords: Readonly<Record<string, string>> = {
  delivery_created: 'waiting for a driver',
  burq_canceled: 'canceled by the service',
};

/** The word for a status, for people. */
export function statusWord(status: string): string {
  return statusWords[status] ?? status;
}

/** The same with the name that programs have, where that is another: `waiting for a driver (delivery_created)`. */
export function statusWithName(status: string): string {
  const word = statusWord(status);
  return word === status ? status : `${word} (${status})`;
}

/** The name of a status by its word or name, as people write them: `Waiting for a driver`, `in transit`. */
export function statusNamed(text: string): string {
  const plain = text.toLowerCase().replaceAll('_', ' ').trim();
  const [name] = Object.entries(statusWords).find(([, word]) => word === plain) ?? [];
  return name ?? plain.replaceAll(/[ -]+/g, '_');
}
