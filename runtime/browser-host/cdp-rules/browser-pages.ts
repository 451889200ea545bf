/**
 * Chromium's own pages, such as `chrome://settings`. Its policy (`isolation/policy.json`) closes them
 * to sessions anyway; a call that opens one is refused here first, because Chromium 156 ends itself
 * when a client goes from one refused page of its own to another.
 */
const openers: ReadonlySet<string> = new Set(['Page.navigate', 'Target.createTarget'])
/** Those that the policy allows: what a new tab shows, and the print preview. */
const open = /^(newtab|new-tab-page|print)$/

export const opensPages = (method: string): boolean => openers.has(method)

/** `about:settings` is another spelling of `chrome://settings`. */
export function isBrowserPage(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const { protocol, hostname, pathname } = new URL(url)
  if (protocol === 'devtools:') return true
  if (protocol === 'chrome:') return !open.test(hostname)
  return protocol === 'about:' && pathname !== 'blank' && pathname !== 'srcdoc'
}
