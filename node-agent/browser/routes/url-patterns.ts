/** URLs in which `*` stands for any text. Pure. */

/** In Chromium's form, where `?` would stand for one character. */
export const chromiumPattern = (pattern: string): string => pattern.replace(/[\\?]/g, '\\$&')

/** In time that is proportional to the URL, however many `*` there are. */
export function fitsPattern(pattern: string, url: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return url === first
  if (!url.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = url.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return url.length - last.length >= at && url.endsWith(last)
}
