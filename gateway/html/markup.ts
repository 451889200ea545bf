/**
 * Pages are JSX, put into text by hono/jsx: every value in them is text, and escaped, whatever it
 * contains. Nothing here makes markup of a string.
 */
import type { Child } from 'hono/jsx'

/** Anything that can stand in a page. */
export type Markup = Child

export function toHtml(page: Markup): string {
  const html: unknown = page?.toString()
  if (typeof html === 'string') return html
  throw new TypeError('a page waits for nothing while it is put into text')
}
