/**
 * Runs in a page before its own scripts: notes what listens for clicks, and tells which of the
 * elements that can be clicked are reached by clicks at given points. Numbers at random are the same
 * for all who read the page.
 */
'use strict'
;(() => {
  let seed = 7
  Math.random = () => {
    seed = (seed * 1664525 + 1013904223) % 4294967296
    return seed / 4294967296
  }
  const kinds = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick']
  const heard = new WeakSet()
  const { addEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (kinds.includes(type) && this instanceof Element) heard.add(this)
    return addEventListener.call(this, type, ...rest)
  }
  const native =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true]'

  function hasFrameworkHandler(element) {
    const props = Object.keys(element).find((name) => name.startsWith('__reactProps$'))
    if (
      props &&
      Object.keys(element[props]).some((name) =>
        /^on(Click|Mouse(Down|Up)|Pointer(Down|Up)|DoubleClick)$/.test(name),
      )
    )
      return true
    return kinds.some((kind) => typeof element[`on${kind}`] === 'function')
  }

  /** jQuery keeps the elements that it listens for in the element that listens. */
  function delegatesTo() {
    const { jQuery } = window
    if (!jQuery?._data) return new Set()
    const all = new Set()
    for (const element of document.querySelectorAll('*')) {
      const events = jQuery._data(element, 'events') ?? {}
      for (const kind of kinds) {
        for (const { selector } of events[kind] ?? []) {
          if (selector) for (const one of jQuery(element).find(selector)) all.add(one)
        }
      }
    }
    return all
  }

  function isInView(element) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect()
    const isWhole = width * height > (innerWidth * innerHeight) / 2
    if (width < 3 || height < 3 || isWhole) return false
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return false
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    return hit !== null && (element.contains(hit) || hit.closest('label')?.control === element)
  }

  function clickable() {
    const delegated = delegatesTo()
    return [...document.body.querySelectorAll('*')].filter(
      (element) =>
        (element.matches(native) ||
          heard.has(element) ||
          delegated.has(element) ||
          hasFrameworkHandler(element)) &&
        !element.matches(':disabled, option') &&
        isInView(element),
    )
  }

  const describe = (element) =>
    `${element.localName}${element.id && `#${element.id}`}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').trim().slice(0, 30)}"`

  /** True if all that is shown in a container belongs to parts that are reached. */
  function isOfParts(container, reached) {
    const isOfPart = (node) => {
      for (let at = node; at !== container; at = at.parentNode) if (reached.has(at)) return true
      return false
    }
    const isShown = (node) => {
      if (node.nodeType === 1 && node.firstChild) return false
      const range = document.createRange()
      range.selectNode(node)
      const { width, height } = range.getBoundingClientRect()
      const isText = node.nodeType === 3
      return width * height > 0 && (!isText || node.data.trim() !== '')
    }
    const walker = document.createTreeWalker(container, 5)
    let parts = 0
    while (walker.nextNode()) {
      if (!isShown(walker.currentNode)) continue
      if (!isOfPart(walker.currentNode)) return false
      parts++
    }
    return parts > 0
  }

  /**
   * A click is for the innermost of them, for those around it with the same text, and for containers
   * in which nothing is shown but parts that are reached.
   */
  window.__reached = (points) => {
    const all = clickable()
    const reached = new Set()
    for (const [x, y] of points) {
      const hit = document.elementFromPoint(x, y)
      const field = hit?.closest('label')?.control
      const around = all.filter((one) => hit && (one.contains(hit) || one === field))
      const inner = around.at(-1)
      for (const one of around) {
        if (one === inner || one === field || one.textContent === inner.textContent)
          reached.add(one)
      }
    }
    for (const one of all.toReversed()) if (isOfParts(one, reached)) reached.add(one)
    const missed = all.filter((one) => !reached.has(one)).map(describe)
    return { clickable: all.length, missed }
  }
})()
