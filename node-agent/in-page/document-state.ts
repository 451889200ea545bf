/** Reads the state of a page's document and window. */

export const titledLocation = () => ({ url: location.href, title: document.title })

export const currentUrl = () => location.href

/** The status is 0 for a document that did not come by HTTP. */
export const arrivedAt = () => {
  const [entry] = performance.getEntriesByType('navigation')
  return { url: location.href, status: (entry as PerformanceNavigationTiming).responseStatus }
}

/** `whole`: with pictures and the like. */
export const hasLoaded = (whole: boolean) =>
  document.readyState === 'complete' || (!whole && document.readyState === 'interactive')

export const visibilityOf = () => ({
  visible: document.visibilityState === 'visible',
  focused: document.hasFocus(),
})

export const innerSize = () => ({ width: innerWidth, height: innerHeight, scale: devicePixelRatio })

/** `granted`, `denied` or `prompt`; `unknown` where the browser does not say. */
export const permissionStates = (names: readonly string[]): Promise<readonly string[]> =>
  Promise.all(names.map((name) => permissionState(name)))

async function permissionState(name: string): Promise<string> {
  const wanted = name === 'midi-sysex' ? { name: 'midi', sysex: true } : { name }
  try {
    return (await navigator.permissions.query(wanted as PermissionDescriptor)).state
  } catch {
    return 'unknown'
  }
}
