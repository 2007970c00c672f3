/** The text of a file, such as a script or a style for a browser. The build puts it into the program, and Vitest reads it. */
declare module '*?raw' {
  const text: string;
  export default text;
}
