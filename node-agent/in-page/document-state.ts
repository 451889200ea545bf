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
