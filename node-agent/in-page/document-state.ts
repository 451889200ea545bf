/** Reads the state of a page's document and window. */

export const titledLocation = () => ({ url: location.href, title: document.title })

export const currentUrl = () => location.href

export const hasLoaded = () => document.readyState === 'complete'

export const visibilityOf = () => ({
  visible: document.visibilityState === 'visible',
  focused: document.hasFocus(),
})

export const innerSize = () => ({ width: innerWidth, height: innerHeight, scale: devicePixelRatio })
