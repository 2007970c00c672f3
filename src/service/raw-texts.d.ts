/** The text of a file, such as a script for a browser. The build puts it into the program, and Vitest reads it. */
declare module '*?raw' {
  const text: string;
  export default text;
}
