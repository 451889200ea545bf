/**
 * Rewrites calls that set the download folder. Clients choose a folder on *their* machine
 * (Playwright does on every connection), but downloads belong to the session, so its folder is put
 * in.
 */
export interface ParsedCall {
  readonly method?: unknown
  readonly params?: unknown
}

/** Also true for the older call of the Page domain, which some clients still use. */
export function setsDownloads(method: string): boolean {
  return method === 'Browser.setDownloadBehavior' || method === 'Page.setDownloadBehavior'
}

/** Returns the call with the session's folder. */
export function redirectDownloads<C extends ParsedCall>(call: C, downloadsDir: string): C {
  const { params } = call
  // Chromium itself refuses a call without parameters.
  if (typeof params !== 'object' || params === null) return call
  if ('behavior' in params && params.behavior === 'deny') return call
  // Files are named by ids: with `allow`, a second file of the same name would replace the first.
  const ours = { behavior: 'allowAndName', downloadPath: downloadsDir }
  return { ...call, params: { ...params, ...ours } }
}
