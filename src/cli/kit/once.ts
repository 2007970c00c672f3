/** Functions that compute each value only once. */

/** Computes a value on the first call and returns the same one afterwards. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Wraps a function that reads a record, so that each record is read once: a repeated key gets the first answer. */
export function readEachOnce<T, Rest extends readonly unknown[]>(
  read: (key: string, ...rest: Rest) => Promise<T>,
): (key: string, ...rest: Rest) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (key, ...rest) => {
    const answer = answers.get(key) ?? read(key, ...rest);
    answers.set(key, answer);
    return answer;
  };
}
