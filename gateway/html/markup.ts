/**
 * Pages are JSX, rendered by hono/jsx: every value is escaped as text. Nothing here turns a string
 * into markup.
 */
import type { Child } from 'hono/jsx'

/** Anything that can be a child in a page. */
export type Markup = Child

export function toHtml(page: Markup): string {
  const html: unknown = page?.toString()
  if (typeof html === 'string') return html
  throw new TypeError('a page waits for nothing while it is put into text')
}
