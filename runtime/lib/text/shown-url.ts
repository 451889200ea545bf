/** URLs for logs of sessions. Pure. */
import { truncateText } from './clean.ts'

/** More is not looked at. */
const readChars = 20_000

/**
 * Where a URL leads, without what may be secret or was typed: user name and password, the values of its
 * query and of a fragment with values, the content of `data:` and `javascript:`. At most `chars` long.
 */
export function shownUrl(url: string, chars: number): string {
  const given = url.slice(0, readChars)
  const content = /^(?:javascript:|data:(?:[\w.+-]{1,40}\/[\w.+-]{1,80}(?=[;,]))?)/i.exec(given)
  if (content) return `${content[0]}…`
  const [, start = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(given)!
  const shown = [
    start.replace(/^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/]*@/i, '$1'),
    query === undefined ? '' : `?${namesOf(query)}`,
    fragment === undefined ? '' : `#${fragment.includes('=') ? namesOf(fragment) : fragment}`,
  ]
  return truncateText(shown.join(''), chars)
}

/** `a=1&b=2` becomes `a=…&b=…`; a part without a name is a value. */
const namesOf = (parts: string): string =>
  parts
    .split('&')
    .map((part) => (part.includes('=') ? part.replace(/=.+$/s, '=…') : part && '…'))
    .join('&')
