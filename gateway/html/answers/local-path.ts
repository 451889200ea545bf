/** Paths that a caller names for a redirect. */

/** Only to parse: a path that leaves it for another host is told by that. */
const origin = 'http://here.invalid'

/**
 * The path as a browser follows it, without `..`, if it is one of `roots` or below it; otherwise
 * undefined. An encoded slash or backslash is refused, because proxies may decode it.
 */
export function pathWithin(
  text: string | null | undefined,
  roots: readonly string[],
): string | undefined {
  if (!text || !/^\/[\w\-./%]*(\?[^\\\s]*)?$/.test(text) || !URL.canParse(text, origin)) {
    return undefined
  }
  const { origin: found, pathname, search } = new URL(text, origin)
  if (found !== origin || /%(2f|5c)/i.test(pathname)) return undefined
  const isWithin = roots.some((root) => pathname === root || pathname.startsWith(`${root}/`))
  return isWithin ? `${pathname}${search}` : undefined
}
