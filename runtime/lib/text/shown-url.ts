/** URLs for people to read, in logs of sessions. Pure. */
import { truncateText } from './clean.ts'

/** Without its user name and password, and not longer than `chars`. */
export function shownUrl(url: string, chars: number): string {
  // Parsing takes too long for a `data:` URL of megabytes, which has no login.
  const login = /^[a-z][a-z0-9+.-]{0,20}:\/\/[^/?#]{0,2000}@/i.exec(url)
  const shown = login ? url.replace(/^([^:]*:\/\/)[^/?#]*@/, '$1') : url
  return truncateText(shown, chars)
}
