/**
 * Clients tell the browser to download into a folder on *their* machine (Playwright does on
 * every connection). Downloads belong to the session, so that one call is pointed at its folder.
 */
export interface Call {
  readonly method?: unknown
  readonly params?: unknown
}

/** Also the older call of the Page domain, which some clients still make. */
export function setsDownloads(method: string): boolean {
  return method === 'Browser.setDownloadBehavior' || method === 'Page.setDownloadBehavior'
}

/** The call to make instead of one that sets the downloads. */
export function redirectDownloads<C extends Call>(call: C, downloadsDir: string): C {
  const { params } = call
  // Chromium refuses a call without parameters by itself.
  if (typeof params !== 'object' || params === null) return call
  if ('behavior' in params && params.behavior === 'deny') return call
  // Under ids: where names are allowed, a second file of one name would replace the first.
  const ours = { behavior: 'allowAndName', downloadPath: downloadsDir }
  return { ...call, params: { ...params, ...ours } }
}
