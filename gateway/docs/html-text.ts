/** The text of HTML that the service has made. */

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** `between` stands in the place of each tag. Entities of other names are left out. */
export const textOfHtml = (html: string, between = ''): string =>
  html.replaceAll(/<[^>]*>/g, between).replaceAll(/&(?:#(x?)([0-9a-f]+)|([a-z]+));/gi, characterOf)

const characterOf = (_: string, hex: string, code: string | undefined, name: string): string =>
  code === undefined
    ? (entities[name] ?? '')
    : String.fromCodePoint(parseInt(code, hex === '' ? 10 : 16))
