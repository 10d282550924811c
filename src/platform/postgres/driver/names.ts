/** Names of columns or tables, as part of the text. Only from code, never from outside. */
export class Names {
  readonly text: string

  constructor(names: string | readonly string[]) {
    this.text = [names].flat().map(quoteName).join(', ')
  }
}

/** `p.id` becomes `"p"."id"`. */
export function quoteName(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}
